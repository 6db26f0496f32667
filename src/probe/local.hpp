#pragma once

#include <string>
#include <vector>

#include <weft/machine.hpp>

#include "probe/extent.hpp"
#include "probe/timing.hpp"

namespace weft::probe {

/// What lines take, and which of it was not measured.
struct Lines {
  std::vector<Arithmetic> arithmetic;
  std::vector<std::string> assumed;
  double planning_s = 0;  ///< to plan one by trials, as Machine has it; 0: none was
};

/// t_c: lines of many lengths in cache, by precision and effort; at once on all ranks and threads that
/// have a core of their own. The others wait: what ranks that share a core take follows from how many
/// they are, and where they take turns within a measurement it would be counted twice. Many ranks on
/// few cores may take minutes to plan by trials what they then time in a second: once the time for
/// `planning` is up, those that are left are assumed.
Lines measure_arithmetic(Timing& timing, Timing& planning, const Extent& extent, int threads,
                         bool has_core);

/// t_a: what weft's own stages need for arrays of several sizes beyond the time of their lines, which
/// `so_far` has; at once on all ranks and threads that have a core of their own.
std::vector<Copying> measure_copying(Timing& timing, const Extent& extent, const Machine& so_far,
                                     int threads, bool has_core);

}  // namespace weft::probe
