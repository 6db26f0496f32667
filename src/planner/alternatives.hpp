#pragma once

#include <optional>
#include <vector>

#include <weft/plan.hpp>

namespace weft::planner {

/// Returns the plans that the planner compares for a problem. They differ in the order of the axes
/// and in the layout of the input. If the caller gave the input, its layout is kept. Otherwise the
/// inputs are slabs and pencils on all ranks and on fewer, and a few bricks on all ranks. For one
/// axis, the plans are views on all ranks and on fewer. Exchanges are those of the fixed rule.
///
/// `problem` is as checked() returns it.
std::vector<Plan> alternatives(const Problem& problem);

/// Returns the plan with the first axis of a stage fastest in memory. Returns nothing for a preset,
/// a view or a stage without transforms, or if the axis is already fastest. Returns nothing for the
/// first and the last stage, because the caller sees their layouts.
std::optional<Plan> with_contiguous_lines(Plan plan, std::size_t number);

/// Returns the plan with a further last stage, whose output has the input's layout. This stage
/// transforms nothing. With a shared exchange into weft's own arrays the new stage needs no pass,
/// and the lines of the stage before may be contiguous in memory. Returns nothing
///   if the output layout is not free, or is already that of the input;
///   for a preset, a view, or a plan without an exchange;
///   if the last stage has no transform;
///   if the transform changes the length of a split axis, and the input is no process grid;
///   if the new exchange does not use node memory as the others do.
std::optional<Plan> with_output_as_input(Plan plan);

/// Returns the exchange and its alternatives, with all choices decided. The alternatives are the
/// methods that can run the problem and agree with the forced choices, each with every schedule.
/// They have the chunks and pieces of the exchange. Persistent requests, and methods that are
/// chosen only on request, are left out unless they are forced.
std::vector<Exchange> kinds_of_exchange(const Plan& plan, std::size_t number);

/// Returns the plan with persistent requests. The model does not distinguish them from ordinary
/// requests. Returns nothing if no exchange can change from ordinary to persistent requests.
std::optional<Plan> with_persistent_requests(Plan plan);

/// How an exchange uses node memory. A transform has one workspace, so all exchanges of a plan use
/// it in the same way.
///   by_stages    shared: nothing is sent
///   by_messages  node-aware
enum class NodeMemoryUse { none, by_stages, by_messages };
NodeMemoryUse node_memory_use(const Exchange& exchange);

/// with_chunks() returns the exchange in 2, 4, 8, ... chunks; none if the chunks are forced.
/// in_pieces() returns it in pieces of several sizes; none if the pieces are forced.
std::vector<Exchange> with_chunks(const Plan& plan, std::size_t number);
std::vector<Exchange> in_pieces(const Plan& plan, std::size_t number);

}  // namespace weft::planner
