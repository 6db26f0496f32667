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
  std::int64_t ranks_per_node = 1;  ///< of the node with the most ranks
  std::string order = "blocks";
  friend bool operator==(const NodeOrder&, const NodeOrder&) = default;
};

/// Returns the placement, from the lowest rank of every rank's node. Pure.
NodeOrder placement(const std::vector<std::int64_t>& first_of_node);

/// Returns the placement of the ranks of a communicator. Collective.
NodeOrder placement(const Communicator& comm);

/// Returns the number of ranks that share memory, if each node has that many consecutive ranks (the
/// last node may have fewer); otherwise 1. Collective.
std::int64_t ranks_sharing_memory(const Communicator& comm);

}  // namespace weft::comm
