#pragma once

#include "model/cost.hpp"

namespace weft::model {

/// Returns the cost of stage `number`.
StepCost stage_cost(const Plan& plan, std::size_t number, const Machine& machine);

}  // namespace weft::model
