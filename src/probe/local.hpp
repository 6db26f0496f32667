#pragma once

#include <weft/machine.hpp>

#include "probe/extent.hpp"
#include "probe/timing.hpp"

namespace weft::probe {

/// t_c: lines of many lengths in cache, by precision and effort; on all ranks and threads
/// at once. Lines that are planned by trials are left out once the time for `planning` is up, but for
/// one of each precision.
std::vector<Arithmetic> measure_arithmetic(Timing& timing, Timing& planning, const Extent& extent,
                                           int threads);

/// t_a: what weft's own stages need for arrays of several sizes beyond the time of their lines, which
/// `so_far` has; on all ranks and threads at once.
std::vector<Copying> measure_copying(Timing& timing, const Extent& extent, const Machine& so_far,
                                     int threads);

}  // namespace weft::probe
