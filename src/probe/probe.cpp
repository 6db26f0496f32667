#include "probe/probe.hpp"

#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <set>

#include <weft/error.hpp>

#include "base/memory.hpp"
#include "comm/agreement.hpp"
#include "comm/placement.hpp"
#include "kernel/cache.hpp"
#include "plan/readable.hpp"
#include "probe/cores.hpp"
#include "probe/crowding.hpp"
#include "probe/disks.hpp"
#include "probe/exchanges.hpp"
#include "probe/handing_over.hpp"
#include "probe/local.hpp"
#include "probe/network_probe.hpp"
#include "probe/timing.hpp"

namespace weft::probe {
namespace {

/// The shares of the time for each part of the probe.
constexpr double for_lines = 0.28;
/// The share for planning FFTs by trials, and its least seconds. A calibration always plans its few
/// FFTs by trials.
constexpr double for_planning = 0.37;
constexpr double least_for_planning_s = 3;
constexpr double for_copying = 0.11;
constexpr double for_handing_over = 0.05;
constexpr double for_memory = 0.06;
constexpr double for_links = 0.13;
static_assert(for_lines + for_planning + for_copying + for_handing_over + for_memory + for_links <
              1.0001);
/// The share for exchanges on more than one node; the rest is divided as above.
constexpr double for_exchanges = 0.5;
/// The share for each disk, in addition to the time. So the number of disks does not reduce the
/// other shares.
constexpr double for_a_disk = 0.1;

void check(const ProbeOptions& options) {
  if (!(options.seconds > 0) || !std::isfinite(options.seconds))
    throw Error(ErrorCode::invalid_argument,
                "the seconds of a probe must be a finite number above 0; given " +
                    readable_number(options.seconds) + "; 30 is the default");
  if (options.threads < 1)
    throw Error(ErrorCode::invalid_argument,
                "a rank must have at least 1 thread; given " + std::to_string(options.threads));
}

void check_directories(const std::vector<std::string>& directories) {
  std::set<std::string> seen;
  for (const std::string& each : directories)
    if (!seen.insert(each).second)
      throw Error(
          ErrorCode::invalid_argument,
          "each directory whose disk is measured must be named once; given \"" + each + "\" twice");
}

/// The processor time of a message if it cannot be measured.
constexpr double assumed_request_s = 2e-7;
/// This figure is assumed to be 0 if no node has two ranks to measure it.
constexpr const char* handed_over = "copying.handed_over_s_per_byte";

/// Returns a link that cannot be measured.
Link assumed_link(double start_s, double s_per_byte) {
  return {{{0, start_s, s_per_byte}}, true, 0};
}

void add(Machine& machine, const Timing& timing) {
  machine.samples.insert(machine.samples.end(), timing.samples().begin(), timing.samples().end());
}

/// Adds samples of lines. If several engines transformed a line, the fastest time counts.
void add_fastest(Machine& machine, const Timing& timing) {
  for (const Sample& sample : timing.samples()) {
    const auto same = std::find_if(
        machine.samples.begin(), machine.samples.end(),
        [&](const Sample& each) { return each.series == sample.series && each.x == sample.x; });
    if (same == machine.samples.end())
      machine.samples.push_back(sample);
    else if (sample.seconds < same->seconds)
      *same = sample;
  }
}

/// Returns the crowding of ranks that have a core each by the node's count; 0 if it is below 1.5,
/// because smaller values are noise. If some rank has no core, also returns 0, because ranks
/// without a core would crowd the others.
double crowding_of(const comm::Communicator& comm, bool has_core, int threads) {
  constexpr double least = 1.5;
  constexpr double suspicious = 1.2;
  // The first duration is longer than a time slice; the second is long enough for many time slices.
  constexpr double glance_s = 0.01;
  constexpr double turns_s = 0.2;
  if (comm.is_solo() || comm.min(std::int64_t{has_core}) == 0) return 0;
  if (crowding(comm, threads, glance_s) < suspicious) return 0;
  const double found = crowding(comm, threads, turns_s);
  return found >= least ? found : 0;
}

void measure_local(Machine& machine, const ProbeOptions& options, const Extent& extent,
                   const comm::Communicator& comm, const ProbedRanks& placement, double seconds) {
  Timing lines(comm, for_lines * seconds);
  Timing planning(comm, std::max(least_for_planning_s, for_planning * seconds));
  const std::int64_t with_core =
      std::max<std::int64_t>(1, machine.cores_per_node / options.threads);
  const bool has_core = comm.node_group().rank() < with_core;
  const double crowded = crowding_of(comm, has_core, options.threads);
  if (crowded > 0) lines.count_processor_time(crowded, options.threads);
  const LocalProbe local{options.threads, has_core, options.engine};
  Lines found = measure_arithmetic(lines, planning, extent, local, comm);
  machine.arithmetic = std::move(found.arithmetic);
  machine.planning_s = found.planning_s;
  machine.assumed.insert(machine.assumed.end(), found.assumed.begin(), found.assumed.end());
  add_fastest(machine, lines);
  Timing copying(comm, for_copying * seconds);
  if (crowded > 0) copying.count_processor_time(crowded, options.threads);
  machine.copying = measure_copying(copying, extent, machine, local, comm);
  add(machine, copying);
  if (extent.stream_bytes == 0) {
    machine.assumed.emplace_back(handed_over);
    return;
  }
  Timing memory(comm, for_memory * seconds);
  machine.memory_bytes_per_s =
      measure_memory(memory, extent, comm, placement, options.threads, machine.cores_per_node);
  add(machine, memory);
  Timing handing_over(comm, for_handing_over * seconds);
  const auto all = [](const Copying&) { return true; };
  if (!measure_handing_over(handing_over, extent.visits, machine, comm, local, all))
    machine.assumed.emplace_back(handed_over);
  add(machine, handing_over);
}

void measure_links(Machine& machine, const Extent& extent, const comm::Communicator& comm,
                   const ProbedRanks& placement, double seconds) {
  Timing timing(comm, for_links * seconds);
  if (!extent.message_bytes.empty()) {
    machine.barrier_s = measure_barrier(timing, comm);
    machine.within_node = measure_link(timing, extent, comm, placement, true);
    machine.between_nodes = measure_link(timing, extent, comm, placement, false);
    machine.request_s = measure_request(timing, comm, placement);
  }
  if (machine.within_node.pieces.empty()) {
    machine.within_node = assumed_link(1e-6, 2e-10);
    machine.assumed.emplace_back("within_node");
  }
  if (machine.between_nodes.pieces.empty()) {
    machine.between_nodes = assumed_link(3e-5, 8.5e-10);
    machine.assumed.emplace_back("between_nodes");
  }
  if (extent.message_bytes.empty() || comm.is_solo()) {
    machine.request_s = assumed_request_s;
    machine.assumed.emplace_back("request_s");
  }
  add(machine, timing);
}

void add_exchanges(Machine& machine, const Extent& extent, const comm::Communicator& comm,
                   const ProbedRanks& placement, double seconds) {
  if (placement.nodes < 2 || extent.exchange_bytes.empty()) {
    machine.assumed.emplace_back("blocking");
    return;
  }
  Timing timing(comm, seconds);
  Exchanges found = measure_exchanges(timing, extent, comm, placement, machine);
  machine.blocking = std::move(found.blocking);
  machine.all_to_all = std::move(found.all_to_all);
  machine.assumed.insert(machine.assumed.end(), found.assumed.begin(), found.assumed.end());
  add(machine, timing);
}

/// Adds the disks, measured by rank 0 alone, because ranks that share a disk would disturb each
/// other.
void add_disks(Machine& machine, const ProbeOptions& options, const comm::Communicator& comm) {
  comm::together(comm, [&] {
    if (comm.rank() != 0) return;
    for (const std::string& directory : options.directories) {
      MeasuredDisk found = measure_disk(directory, for_a_disk * options.seconds);
      machine.disks.push_back(std::move(found.disk));
      machine.samples.insert(machine.samples.end(), found.samples.begin(), found.samples.end());
    }
  });
}

}  // namespace

Machine measure(const ProbeOptions& options, const comm::Communicator& given) {
  // The code below derives the node of a rank from its number.
  const comm::Communicator comm = given.by_nodes();
  const Extent& extent = options.extent;
  comm::together(comm, [&] {
    check(options);
    check_directories(options.directories);
    require_memory(extent.memory_bytes() * options.threads, "the arrays of a probe");
    return 0;
  });
  Machine machine;
  machine.name = options.name;
  machine.source = options.source;
  machine.cores_per_node = std::max<std::int64_t>(1, sysconf(_SC_NPROCESSORS_ONLN));
  machine.physical_cores_per_node = physical_cores();
  machine.memory_bytes =
      std::int64_t{sysconf(_SC_PHYS_PAGES)} * std::int64_t{sysconf(_SC_PAGE_SIZE)};
  machine.l2_bytes = kernel::cache_sizes().l2_bytes;
  machine.l3_bytes = kernel::cache_sizes().l3_share_bytes * machine.cores_per_node;
  // Disks are first, so that an unsuitable directory is reported at once.
  add_disks(machine, options, comm);
  const ProbedRanks placement = placement_of(comm);
  machine.topology = {.network = Network::crossbar, .nodes = placement.nodes};
  if (comm::placement(given).order == "cyclic") machine.topology.order = "nt";
  machine.assumed = {"topology"};
  const double exchanges_s = placement.nodes < 2 ? 0 : for_exchanges * options.seconds;
  const double others_s = options.seconds - exchanges_s;
  measure_local(machine, options, extent, comm, placement, others_s);
  measure_links(machine, extent, comm, placement, others_s);
  add_exchanges(machine, extent, comm, placement, exchanges_s);
  std::string text = to_json(machine);
  comm.broadcast(text, 0);
  return machine_from_json(text);
}

Machine with_handing_over_now(Machine machine, Precision precision, double seconds, int threads,
                              const comm::Communicator& given) {
  constexpr std::int64_t most_bytes = 8 << 20;
  const comm::Communicator comm = given.by_nodes();
  Timing timing(comm, seconds);
  const LocalProbe local{threads, true, kernel::wanted_engine()};
  measure_handing_over(timing, 1, machine, comm, local, [&](const Copying& each) {
    return each.precision == precision && each.bytes <= most_bytes;
  });
  std::string text = to_json(machine);
  comm.broadcast(text, 0);
  return machine_from_json(text);
}

}  // namespace weft::probe
