#pragma once

#include <string>

#include <weft/plan.hpp>

namespace weft {

/// Throws invalid_argument, with the rule and the stage, unless the plan solves its problem.
///
/// Every axis in problem.axes must be transformed once, in a layout that does not split it. The
/// axis that r2c halves must come before all others. Stages must fit each other, and the problem's
/// input and output. Every exchange must be decided, and must have the forced choices. Cost: at
/// most O(ranks); constant if the layouts are equal process grids.
void check_plan(const Plan& plan);

/// Throws the error of check_plan(). The message names the broken rule.
[[noreturn]] void refuse_plan(const std::string& message);

}  // namespace weft
