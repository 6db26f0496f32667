#pragma once

#include "ooc/plan/pass_plan.hpp"

namespace weft::ooc {

/// Throws invalid_argument, with the rule and the remedy, if a problem breaks a rule that
/// KPassProblem lists.
void check_problem(const KPassProblem& problem);

}  // namespace weft::ooc
