#pragma once

#include "model/cost.hpp"
#include "plan/chunks.hpp"

namespace weft::model {

/// Returns the number of chunks of exchange `number`: at most the slices of the rank that has most.
std::int64_t chunks_of(const Plan& plan, std::size_t number);

/// Returns the nodes of the ranks of a problem, counted once.
const Placement& placement_of(const Problem& problem, const Machine& machine, KnownCounts& known);

/// Returns whether no message waits for another: a rank's starts overlap.
bool all_at_once(const Exchange& exchange);

/// Returns the seconds in which `messages` messages of a rank start. If one waits for the other,
/// each has its own start. Otherwise the first message, or each call of a collective exchange, has
/// a start, and each further one costs request_s, at most a start.
double starts_seconds(const Link& link, double bytes, const Exchange& exchange, double messages,
                      const Machine& machine);

/// Returns the cost of exchange `number`, with nothing hidden.
StepCost exchange_cost(const Plan& plan, std::size_t number, const Machine& machine,
                       KnownCounts& known);

}  // namespace weft::model
