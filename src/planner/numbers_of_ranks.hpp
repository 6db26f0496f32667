#pragma once

#include <cstdint>
#include <vector>

#include <weft/plan.hpp>

namespace weft::planner {

/// Returns the numbers of ranks to try for a problem, in descending order from all of them.
///
/// Up to 32 every number is tried. Above that there is a step of some percent below all ranks, and
/// wider steps below half of them. Near every step these numbers are tried: the fewest ranks with
/// the same rows on each for one of `split`, the most even grid over each two of these, whole
/// nodes, a power of two, and the step itself if the problem has one axis. So no number is much
/// slower than a smaller one.
///
/// `split` are axes that may be split; `problem` is as checked() returns it. Cost: for each step
/// and two axes the square root of the longer one.
std::vector<std::int64_t> numbers_of_ranks(const Problem& problem, const std::vector<int>& split);

}  // namespace weft::planner
