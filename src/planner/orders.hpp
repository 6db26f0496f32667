#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <weft/machine.hpp>
#include <weft/plan.hpp>

namespace weft::planner {

/// Returns possible orders of ranks over the nodes of a network, without the default one. `on_node`
/// is the number of ranks of a node. The position on the node counts as one more axis. If there are
/// at most four axes, every sequence of them is tried. With more axes, one axis at a time is moved
/// to the front or to the end. A sequence is left out if it only swaps equivalent axes of another
/// one.
std::vector<std::string> sequences(const Topology&, std::int64_t on_node);

/// Returns an order on a torus that puts `ranks` consecutive ranks on a box of nodes that is almost
/// a cube. Empty if there is no such order, or if it only reorders whole axes.
std::string block_order(const Topology&, std::int64_t on_node, std::int64_t ranks);

/// Returns the orders to try for a plan: the sequences, and one box of nodes for each size of a row
/// or plane of the plan's process grids.
std::vector<std::string> orders_to_try(const Plan&, const Topology&, std::int64_t on_node);

}  // namespace weft::planner
