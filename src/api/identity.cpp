#include "api/identity.hpp"

#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <functional>
#include <set>
#include <string>

#include <weft/fft.hpp>

#include "api/line_engines.hpp"
#include "comm/agreement.hpp"
#include "comm/environment.hpp"
#include "comm/fabric.hpp"
#include "comm/placement.hpp"
#include "kernel/cache.hpp"
#include "kernel/transpose.hpp"

namespace weft::api {
namespace {

/// Replaces all but printable ASCII characters in a text from the system, because it becomes JSON.
std::string printable(std::string text) {
  std::replace_if(
      text.begin(), text.end(), [](char c) { return c < ' ' || c > '~'; }, '?');
  return text;
}

MachineIdentity local_identity(const std::string& engine) {
  const kernel::CacheSizes& caches = kernel::cache_sizes();
  MachineIdentity mine;
  mine.weft = version();
  mine.processor = printable(processor_name());
  mine.cores_per_node = std::max<std::int64_t>(1, sysconf(_SC_NPROCESSORS_ONLN));
  mine.l2_bytes = caches.l2_bytes;
  mine.l3_share_bytes = caches.l3_share_bytes;
  mine.transposes = kernel::transpose_instructions();
  mine.engine = printable(engine_versions(engine));
  mine.mpi = printable(comm::mpi_library_version());
  mine.fabric = comm::network_devices();
  return mine;
}

/// Joins the different texts of all ranks, each once. Collective.
std::string united(const comm::Communicator& comm, const std::string& mine) {
  if (comm.all_same(std::hash<std::string>{}(mine))) return mine;
  const std::vector<std::string> all = comm.all_gather(mine);
  std::string text;
  for (const std::string& each : std::set<std::string>(all.begin(), all.end()))
    text += (text.empty() ? "" : " + ") + each;
  return text;
}

/// Returns the network devices between nodes and the settings of MPI transports. The settings also
/// matter within a node. Collective.
std::string fabric_of(const comm::Communicator& comm, std::int64_t nodes,
                      const std::string& devices) {
  const std::string settings = united(comm, printable(comm::transport_settings()));
  const std::string between = nodes == 1 ? "one node" : united(comm, printable(devices));
  return between + (settings.empty() ? "" : "; " + settings);
}

}  // namespace

std::string processor_name() {
  std::ifstream file("/proc/cpuinfo");
  for (std::string line; std::getline(file, line);) {
    if (!line.starts_with("model name")) continue;
    const std::size_t start = line.find_first_not_of(" \t", line.find(':') + 1);
    if (start != std::string::npos) return line.substr(start);
  }
  return "unknown";
}

MachineIdentity identity_of(const comm::Communicator& comm, const std::string& engine) {
  MachineIdentity found = comm::together(comm, [&] { return local_identity(engine); });
  const comm::NodeOrder placement = comm::placement(comm);
  for (std::string* text :
       {&found.weft, &found.processor, &found.transposes, &found.engine, &found.mpi})
    *text = united(comm, *text);
  for (std::int64_t* size : {&found.cores_per_node, &found.l2_bytes, &found.l3_share_bytes})
    *size = comm.min(*size);
  found.nodes = placement.nodes;
  found.ranks_per_node = placement.ranks_per_node;
  found.placement = placement.order;
  found.fabric = fabric_of(comm, placement.nodes, found.fabric);
  return found;
}

}  // namespace weft::api
