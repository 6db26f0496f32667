#pragma once

#include "model/cost.hpp"

namespace weft::model {

/// Returns the predicted time of one stage of a plan on its busiest rank, without the exchanges.
/// Stages count from 0.
StepCost stage_cost(const Plan& plan, std::size_t number, const Machine& machine);

}  // namespace weft::model
