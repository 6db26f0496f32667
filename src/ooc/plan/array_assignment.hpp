#pragma once

#include <cstddef>

#include "ooc/plan/pass_plan.hpp"

namespace weft::ooc {

/// Says where every pass of a plan reads and writes. The last one writes the output. Before it arrays
/// alternate between the output, where they fit, and scratch space; but a pass that keeps the order of
/// its elements may write where it reads. The first `kernel_passes` make the kernel of a convolution,
/// which then stays in scratch space.
void assign_arrays(KPassPlan& plan);

}  // namespace weft::ooc
