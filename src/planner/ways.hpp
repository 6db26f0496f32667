#pragma once

#include <optional>
#include <vector>

#include <weft/plan.hpp>

namespace weft::planner {

/// Ways to divide a problem among its ranks: plans that differ in the layout of the input (slabs and
/// process grids over all axes that may be split, on all ranks and on fewer), and in which axis is
/// transformed next. Exchanges are those of the rule. An input that the caller gave stays.
///
/// `problem` is as checked() returns it.
std::vector<Plan> ways(const Problem& problem);

/// The plan with the axis that a stage transforms first fastest in memory there. Nothing for the first
/// and the last stage, whose layouts the caller sees, for a preset, and where it is so already.
std::optional<Plan> with_lines_in_memory(Plan plan, std::size_t number);

/// The plan of an output that may lie anywhere, with a last stage that transforms nothing and leaves the
/// output where the input lies. By a shared exchange into weft's own arrays that stage is no pass, and
/// the one before it may have its lines in memory. Nothing for a preset, a view, and where it is so
/// already or there is no exchange.
std::optional<Plan> with_output_as_input(Plan plan);

/// What an exchange could be instead, all knobs decided: every method that can serve the problem and
/// agrees with what is forced, each schedule, in one piece.
std::vector<Exchange> kinds_of_exchange(const Plan& plan, std::size_t number);

/// The plan with persistent requests where its messages have ordinary ones that nobody forced, which
/// the model prices alike; nothing where there are none.
std::optional<Plan> with_persistent_requests(Plan plan);

/// How an exchange uses the memory of a node. A transform has one workspace, so all exchanges of a
/// plan agree in this.
///   by_stages    shared: nothing is sent
///   by_messages  node-aware
enum class NodeMemoryUse { none, by_stages, by_messages };
NodeMemoryUse node_memory_use(const Exchange& exchange);

/// The same exchange in 2, 4, 8, ... chunks, or in pieces; none where that is forced.
std::vector<Exchange> with_chunks(const Plan& plan, std::size_t number);
std::vector<Exchange> in_pieces(const Plan& plan, std::size_t number);

}  // namespace weft::planner
