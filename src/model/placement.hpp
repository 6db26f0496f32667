#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include <weft/machine.hpp>

namespace weft::model {

/// The node of each rank. A node has at most `on_node` ranks.
class Placement {
 public:
  /// Consecutive ranks share a node.
  Placement(std::int64_t ranks, std::int64_t on_node);
  /// The order of the topology decides the nodes, as in weft::rank_places().
  Placement(const Topology&, std::int64_t ranks, std::int64_t on_node);

  std::int64_t on_node() const { return on_node_; }
  std::span<const std::int64_t> node_of() const { return node_of_; }
  bool same_node(std::int64_t one, std::int64_t other) const {
    return node_of_[static_cast<std::size_t>(one)] == node_of_[static_cast<std::size_t>(other)];
  }
  /// Returns whether the ranks of each node are consecutive and begin at a multiple of on_node().
  /// Node memory needs this.
  bool keeps_nodes_together() const { return together_; }
  /// Returns the ranks of a rank's node, in ascending order.
  const std::vector<std::int64_t>& sharing_with(std::int64_t rank) const;
  /// Returns the ranks of each node that has ranks.
  const std::vector<std::vector<std::int64_t>>& nodes() const { return nodes_; }

 private:
  void collect_nodes();

  std::int64_t on_node_;
  std::vector<std::int64_t> node_of_;
  std::vector<std::vector<std::int64_t>> nodes_;
  std::vector<std::size_t> index_;  ///< position of each rank's node in nodes_
  bool together_ = true;
};

}  // namespace weft::model
