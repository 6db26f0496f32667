#pragma once

#include "ooc/plan/pass_plan.hpp"

namespace weft::ooc {

/// Throws invalid_argument for a shape, axes, precision or option outside the rules of plan_passes().
void check_problem(const KPassProblem& problem);

}  // namespace weft::ooc
