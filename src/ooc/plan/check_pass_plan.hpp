#pragma once

#include "ooc/plan/pass_plan.hpp"

namespace weft::ooc {

/// Throws invalid_argument, with the place and the rule, for a plan that contradicts itself. It
/// checks the extents and widths of passes, and that arrays are inside their volumes. Each pass
/// must read its predecessor's output, and the memory must not exceed the problem's.
void check_plan(const KPassPlan& plan);

}  // namespace weft::ooc
