#pragma once

#include <weft/plan.hpp>

namespace weft {

/// Throws invalid_argument, naming the rule and the stage, unless the plan solves its problem.
///
/// Every axis of the problem is transformed once, where it is whole, the axis that r2c halves
/// before all others; stages fit each other, the problem's input and its output; every exchange is
/// decided and keeps the forced knobs.
/// Cost  O(ranks) at most, constant where the layouts are equal process grids.
void check_plan(const Plan& plan);

}  // namespace weft
