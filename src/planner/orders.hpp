#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <weft/machine.hpp>
#include <weft/plan.hpp>

namespace weft::planner {

/// Returns possible orders of ranks over the nodes of a network, without the default one. The axes
/// come in every sequence, but equivalent axes in one sequence only. If there are more than four
/// axes, each one is moved to the front or to the end.
std::vector<std::string> sequences(const Topology&, std::int64_t on_node);

/// Returns an order on a torus that puts `ranks` consecutive ranks on a block of nodes as close to
/// a cube as possible. Empty if there is none that differs from a sequence of axes.
std::string block_order(const Topology&, std::int64_t on_node, std::int64_t ranks);

/// Returns the orders to try for a plan: sequences, and blocks of the rows of its process grids.
std::vector<std::string> orders_to_try(const Plan&, const Topology&, std::int64_t on_node);

}  // namespace weft::planner
