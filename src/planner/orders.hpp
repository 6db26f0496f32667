#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <weft/machine.hpp>
#include <weft/plan.hpp>

namespace weft::planner {

/// Orders in which ranks could run over the nodes of a network, but for the default one: axes in any
/// sequence, axes that are alike in one sequence only. Of more than four axes each is moved to the
/// front or to the end.
std::vector<std::string> sequences(const Topology&, std::int64_t on_node);

/// On a torus: an order that puts each so many consecutive ranks on a block of nodes that is as near
/// to a cube as its axes let it. Empty where there is none that is not a sequence of axes.
std::string block_order(const Topology&, std::int64_t on_node, std::int64_t ranks);

/// All that are worth a look for a plan: sequences, and blocks of the rows of its process grids.
std::vector<std::string> orders_to_try(const Plan&, const Topology&, std::int64_t on_node);

}  // namespace weft::planner
