#include "api/local_machine.hpp"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <ctime>
#include <vector>

#include <weft/fft.hpp>

#include "api/cache_file.hpp"
#include "api/call_time.hpp"
#include "api/identity.hpp"
#include "api/line_engines.hpp"
#include "comm/agreement.hpp"
#include "comm/environment.hpp"
#include "comm/fabric.hpp"
#include "kernel/engine.hpp"
#include "probe/network_probe.hpp"
#include "probe/probe.hpp"

namespace weft::api {
namespace {

constexpr double quick_s = 0.2;

/// Returns the file for these ranks, threads, engines, processor, network and MPI library.
CacheFile file_of(std::int64_t ranks, const probe::ProbedRanks& placement, int threads,
                  const std::string& engine) {
  const std::string between = placement.nodes > 1 ? comm::network_devices() : "one node";
  return {
      "local-machine",
      {version(), processor_name(), std::to_string(sysconf(_SC_NPROCESSORS_ONLN)),
       comm::mpi_library_version(), comm::transport_settings(), between, std::to_string(ranks),
       std::to_string(placement.ranks_per_node), std::to_string(threads), engine_versions(engine)}};
}

/// Returns the text of the file if this version of weft can read the machine; otherwise "".
std::string readable_text(const CacheFile& file) {
  try {
    std::string text = file.text();
    machine_from_json(text);
    return text;
  } catch (const Error&) {
    return {};
  }
}

void keep(const CacheFile& file, const Machine& machine) {
  file.update(
      "the measurement of this machine is not kept, so each run measures again; set "
      "XDG_CACHE_HOME to a folder that can be written, or name a machine",
      [&](const std::string&) { return to_json(machine) + "\n"; });
}

std::string today() {
  const std::time_t now = std::time(nullptr);
  std::tm date{};
  gmtime_r(&now, &date);
  std::array<char, 16> text{};
  std::strftime(text.data(), text.size(), "%Y-%m-%d", &date);
  return text.data();
}

std::string source(std::int64_t ranks, int threads) {
  constexpr std::size_t longest = 120;
  return "measured by weft in " + std::to_string(quick_s).substr(0, 3) + " s on " +
         std::to_string(ranks) + " ranks of " + std::to_string(threads) + " threads, " + today() +
         ", " + comm::mpi_library_version().substr(0, longest);
}

}  // namespace

Machine local_machine(const comm::Communicator& comm, int threads, const std::string& engine) {
  const probe::ProbedRanks placement = probe::placement_of(comm);
  const std::string word = engine_word(engine, comm);
  std::string text;
  if (comm.rank() == 0) text = readable_text(file_of(comm.size(), placement, threads, word));
  comm.broadcast(text, 0);
  if (!text.empty()) return comm::together(comm, [&] { return machine_from_json(text); });
  Machine found = probe::measure(
      {"local", source(comm.size(), threads), quick_s, threads, word, probe::quick_extent()}, comm);
  measure_call(found, comm, threads);
  if (comm.rank() == 0) keep(file_of(comm.size(), placement, threads, word), found);
  return found;
}

std::optional<Machine> known_local_machine(std::int64_t ranks, int threads) {
  const std::string text =
      readable_text(file_of(ranks, {ranks, 1}, threads, kernel::wanted_engine()));
  if (text.empty()) return {};
  return machine_from_json(text);
}

}  // namespace weft::api
