#pragma once

#include "model/cost.hpp"
#include "plan/chunks.hpp"

namespace weft::model {

/// In how many chunks exchange `number` goes: no more than the rank with the most slices has.
std::int64_t chunks_of(const Plan& plan, std::size_t number);

/// Where the ranks of a problem are, counted once.
const Placement& placement_of(const Problem& problem, const Machine& machine, KnownCounts& known);

/// Whether no message waits for another: a rank's starts go on together.
bool all_at_once(const Exchange& knobs);

/// Seconds that so many messages of a rank take to start: each its own where one waits for the
/// other; else one for the first, or for each call of a collective exchange, and request_s, at most a
/// start, for each further one.
double starts_seconds(const Link& link, double bytes, const Exchange& knobs, double messages,
                      const Machine& machine);

/// The cost of exchange `number`, nothing hidden.
StepCost exchange_cost(const Plan& plan, std::size_t number, const Machine& machine,
                       KnownCounts& known);

}  // namespace weft::model
