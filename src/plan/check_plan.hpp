#pragma once

#include <string>

#include <weft/plan.hpp>

namespace weft {

/// Throws invalid_argument, with the rule and the stage, unless the plan solves its problem.
///
/// Every axis of the problem is transformed once, in a layout that leaves it whole, the axis that
/// r2c halves before all others. Stages fit each other, the problem's input and its output. Every
/// exchange is decided and keeps the forced choices. Cost: O(ranks) at most, constant if the
/// layouts are equal process grids.
void check_plan(const Plan& plan);

/// Throws the error of a plan that breaks the rule in the message.
[[noreturn]] void refuse_plan(const std::string& message);

}  // namespace weft
