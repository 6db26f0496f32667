#pragma once

#include "ooc/plan/pass_plan.hpp"

namespace weft::ooc {

/// Throws invalid_argument, with the place and the rule, for a plan that contradicts itself. Checks
/// the extents and widths of passes, and that arrays are inside their volumes. Each pass must read
/// the output of the previous pass. The memory must not exceed the problem's limit.
void check_plan(const KPassPlan& plan);

}  // namespace weft::ooc
