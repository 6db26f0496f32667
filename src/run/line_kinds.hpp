#pragma once

#include <weft/kind.hpp>

#include "kernel/line_problem.hpp"
#include "plan/end_stages.hpp"

namespace weft::run {

/// Returns the transform of lines of a kind; of c2c and r2c with the exponent -1 in forward.
kernel::LineKind line_kind(Kind kind, Direction direction);

}  // namespace weft::run
