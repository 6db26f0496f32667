#pragma once

#include <cstdint>
#include <vector>

#include <weft/plan.hpp>

namespace weft::planner {

/// Numbers of ranks on which a problem may be done, all of them first, then fewer where these will do.
///
/// Every number up to 32; of more, near every step of some percent below all ranks and wider steps below
/// half of them, those that a smaller number does not equal: the fewest ranks with the same rows each
/// of one of `split`, the most even grid over each two of these, whole nodes, a power of two, the step
/// itself where the problem has one axis. So no number takes much longer than a smaller one would.
///
/// `split` are axes that may be split; `problem` is as checked() returns it.
/// Cost: for each step and two axes the square root of the longer one.
std::vector<std::int64_t> numbers_of_ranks(const Problem& problem, const std::vector<int>& split);

}  // namespace weft::planner
