#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "comm/communicator.hpp"

namespace weft::comm {

/// The placement of ranks on nodes.
///   blocks  consecutive ranks share a node
///   cyclic  rank r is on node r modulo the nodes
///   other   neither
struct NodeOrder {
  std::int64_t nodes = 1;
  std::int64_t ranks_per_node = 1;  ///< number of ranks on the node with the most ranks
  std::string order = "blocks";
  friend bool operator==(const NodeOrder&, const NodeOrder&) = default;
};

/// Returns the placement. For each rank, `first_of_node` has the lowest rank on its node. Local.
NodeOrder placement(const std::vector<std::int64_t>& first_of_node);

/// Returns the placement of the ranks of a communicator. Collective.
NodeOrder placement(const Communicator& comm);

/// Returns the number of ranks on each node, if the ranks of a node are consecutive and can share
/// memory. The last node may have fewer ranks. Otherwise returns 1. Collective.
std::int64_t ranks_sharing_memory(const Communicator& comm);

}  // namespace weft::comm
