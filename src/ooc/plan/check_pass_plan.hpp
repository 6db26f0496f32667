#pragma once

#include "ooc/plan/pass_plan.hpp"

namespace weft::ooc {

/// Throws invalid_argument, with the place and the rule, for a plan that does not fit itself: extents
/// and widths of passes, arrays outside their volumes, a pass that does not read its predecessor's
/// output, or more memory than the problem's.
void check_plan(const KPassPlan& plan);

}  // namespace weft::ooc
