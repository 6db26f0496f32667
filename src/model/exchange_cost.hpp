#pragma once

#include "model/cost.hpp"
#include "plan/chunks.hpp"

namespace weft::model {

/// Returns the number of chunks of exchange `number`. It is at most most_slices(): the extent of
/// the chunked axis on the rank with the longest range, forward or backward.
std::int64_t chunks_of(const Plan& plan, std::size_t number);

/// Returns the node of each rank. The first call computes the placement, and stores it in `known`.
const Placement& placement_of(const Problem& problem, const Machine& machine, KnownCounts& known);

/// Returns whether a rank starts all messages of a chunk without waiting for any of them. If ranks
/// read each other's memory, no messages exist, and the result is false.
bool all_at_once(const Exchange& exchange);

/// Returns the seconds in which a rank starts `messages` messages of `bytes` bytes. If
/// all_at_once() is false, each message costs a full start. Otherwise each chunk costs one full
/// start. Each further message then costs machine.request_s, at most a full start.
double starts_seconds(const Link& link, double bytes, const Exchange& exchange, double messages,
                      const Machine& machine);

/// Returns the cost of exchange `number`. Its hidden_s is 0: no part is hidden behind stages yet.
StepCost exchange_cost(const Plan& plan, std::size_t number, const Machine& machine,
                       KnownCounts& known);

}  // namespace weft::model
