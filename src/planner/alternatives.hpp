#pragma once

#include <optional>
#include <vector>

#include <weft/plan.hpp>

namespace weft::planner {

/// Returns the plans that the planner compares for a problem. They differ in the order of the axes
/// and in the layout of the input. Layouts are slabs and process grids over all axes that may be
/// split, on all ranks and on fewer. Exchanges are those of the fixed rule. An input that the caller gave
/// is kept.
///
/// `problem` is as checked() returns it.
std::vector<Plan> alternatives(const Problem& problem);

/// Returns the plan with a stage's first axis fastest in memory. Returns nothing for a preset, if
/// that is so already, and for the first and the last stage, because the caller sees their layouts.
std::optional<Plan> with_lines_in_memory(Plan plan, std::size_t number);

/// Returns the plan of a free output layout with a last stage that transforms nothing and leaves
/// the output in the input's layout. With a shared exchange into weft's own arrays that stage is no
/// pass, and the stage before it may have its lines in memory. Returns nothing for a preset, for a
/// view, without an exchange, and if that is so already.
std::optional<Plan> with_output_as_input(Plan plan);

/// Returns the alternatives to an exchange, all choices decided. They are every method that can
/// serve the problem and agrees with the forced choices, with each schedule, in one piece.
std::vector<Exchange> kinds_of_exchange(const Plan& plan, std::size_t number);

/// Returns the plan with persistent requests, which the model does not distinguish from ordinary
/// ones. Returns nothing if no message has ordinary requests that are not forced.
std::optional<Plan> with_persistent_requests(Plan plan);

/// Use of node memory by an exchange. A transform has one workspace, so all exchanges of a plan
/// agree in this.
///   by_stages    shared: nothing is sent
///   by_messages  node-aware
enum class NodeMemoryUse { none, by_stages, by_messages };
NodeMemoryUse node_memory_use(const Exchange& exchange);

/// Returns the same exchange in 2, 4, 8, ... chunks, or in pieces; none if their number is forced.
std::vector<Exchange> with_chunks(const Plan& plan, std::size_t number);
std::vector<Exchange> in_pieces(const Plan& plan, std::size_t number);

}  // namespace weft::planner
