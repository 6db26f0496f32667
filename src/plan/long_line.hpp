#pragma once

#include <vector>

#include <weft/plan.hpp>

namespace weft {

/// Returns the two stages of one long complex axis on one rank, seen as n1 x n2; none for other
/// problems, for lines that a cache holds, and without factors that are alike.
///
/// Stages  axis 0 with twiddles, from the input; axis 1, into the output in natural order. Threads
///         share the columns, then the rows, and memory is swept twice. A library sweeps a line
///         that exceeds the cache more often, in one thread.
/// Cost    sqrt(n) divisions.
/// Source  Bailey 1990. `problem` is as checked() returns it.
std::vector<Stage> long_line_stages(const Problem& problem);

/// Throws invalid_argument unless a plan with a view on one rank has these stages.
void check_long_line(const Plan& plan);

}  // namespace weft
