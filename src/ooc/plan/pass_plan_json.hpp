#pragma once

#include <string>
#include <string_view>

#include "ooc/plan/pass_plan.hpp"

namespace weft::ooc {

/// Writes a plan as one line of JSON with a version number.
std::string to_json(const KPassPlan& plan);

/// Inverse of to_json. Throws invalid_argument, with the place and the rule, for damaged text, for
/// another version, for missing or unknown keys, and for values that check_plan() refuses.
KPassPlan plan_from_json(std::string_view text);

}  // namespace weft::ooc
