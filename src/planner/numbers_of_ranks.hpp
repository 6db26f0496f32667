#pragma once

#include <cstdint>
#include <vector>

#include <weft/plan.hpp>

namespace weft::planner {

/// Returns the numbers of ranks for which the planner tries layouts, in descending order.
///
/// If the problem requires all ranks, the result is their number alone. Otherwise it is:
///   all ranks, half of them, a quarter, ..., 1
///   the ranks of one node
///   every number from 1 to 31
///   a few numbers for each target above 32
///
/// The first target is all ranks. After a target above half of all ranks, the next target is 0.8
/// times as large. After a smaller target, the next one is half as large. For each target the
/// planner tries these numbers, which do not exceed the target:
///   the largest power of two
///   the largest multiple of the ranks of a node
///   one axis:   the target itself
///   more axes:  for each of `axes`, the fewest ranks whose slabs are as thin as the target's; for
///               each two of `axes`, the ranks of the process grid with the smallest pencils
///
/// So the planner finds a fast number of ranks near each target. `axes` are those that may be
/// split; `problem` is as checked() returns it. Cost: the square root of the longer extent, for
/// each target and each two axes.
std::vector<std::int64_t> numbers_of_ranks(const Problem& problem, const std::vector<int>& axes);

}  // namespace weft::planner
