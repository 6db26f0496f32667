#include "comm/placement.hpp"

#include <algorithm>
#include <map>

#include "comm/node_memory.hpp"

namespace weft::comm {

NodeOrder placement(const std::vector<std::int64_t>& first_of_node) {
  std::map<std::int64_t, std::int64_t> ranks_of;
  for (const std::int64_t first : first_of_node) ++ranks_of[first];
  NodeOrder found;
  found.nodes = static_cast<std::int64_t>(ranks_of.size());
  for (const auto& [first, ranks] : ranks_of)
    found.ranks_per_node = std::max(found.ranks_per_node, ranks);
  if (std::is_sorted(first_of_node.begin(), first_of_node.end())) return found;
  found.order = "cyclic";
  for (std::size_t rank = 0; rank < first_of_node.size(); ++rank)
    if (first_of_node[rank] != static_cast<std::int64_t>(rank) % found.nodes) found.order = "other";
  return found;
}

NodeOrder placement(const Communicator& comm) {
  if (comm.is_solo()) return {};
  const std::int64_t first = comm.node_group().broadcast_value(std::int64_t{comm.rank()}, 0);
  return placement(comm.all_gather_values(first));
}

std::int64_t ranks_sharing_memory(const Communicator& comm) {
  if (comm.is_solo()) return 1;
  const Communicator node = comm.node_group();
  const int most = static_cast<int>(comm.max(std::int64_t{node.size()}));
  const int first = comm.rank() / most * most;
  const bool fits = node.size() == std::min(most, comm.size() - first) &&
                    node.rank() == comm.rank() - first &&
                    node_memory_kind(comm) != NodeMemoryKind::ordinary;
  return comm.min(std::int64_t{fits}) == 1 ? most : 1;
}

}  // namespace weft::comm
