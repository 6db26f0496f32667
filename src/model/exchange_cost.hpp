#pragma once

#include "model/cost.hpp"
#include "plan/chunks.hpp"

namespace weft::model {

/// In how many chunks exchange `number` goes: no more than the rank with the most slices has.
std::int64_t chunks_of(const Plan& plan, std::size_t number);

/// Where the ranks of a problem are, counted once.
const Placement& placement_of(const Problem& problem, const Machine& machine, Known& known);

/// The cost of exchange `number`, nothing hidden.
StepCost exchange_cost(const Plan& plan, std::size_t number, const Machine& machine, Known& known);

}  // namespace weft::model
