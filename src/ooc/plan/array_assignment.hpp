#pragma once

#include <cstddef>

#include "ooc/plan/pass_plan.hpp"

namespace weft::ooc {

/// Assigns the array that each pass reads and writes. The last pass writes the output. Earlier
/// passes alternate between scratch space and, if their array fits there, the output. A pass that
/// keeps the order of its elements may overwrite its input. The first `kernel_passes` passes make
/// the kernel of a convolution. The kernel then stays in scratch space.
void assign_arrays(KPassPlan& plan);

}  // namespace weft::ooc
