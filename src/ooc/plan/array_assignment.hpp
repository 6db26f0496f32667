#pragma once

#include <cstddef>

#include "ooc/plan/pass_plan.hpp"

namespace weft::ooc {

/// Assigns the array that each pass reads and writes. The last pass writes the output. Earlier
/// passes alternate between scratch space and the output, where an array fits into it. A pass that
/// keeps the order of its elements may write to the array that it reads. The first `kernel_passes`
/// make the kernel of a convolution, which then stays in scratch space.
void assign_arrays(KPassPlan& plan);

}  // namespace weft::ooc
