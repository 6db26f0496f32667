#pragma once

#include <vector>

#include <weft/plan.hpp>

namespace weft {

/// Returns the two stages of one long complex axis on one rank, treated as n1 x n2. Returns none
/// for other problems, and for lines below 4 MiB (256 KiB with several threads). Also returns none
/// if n has no two suitable factors. Suitable factors have no large primes and are at most 2^16.
///
/// Stages  The first reads the input, transforms axis 0 and multiplies by twiddles. The second
///         transforms axis 1 and writes the output in natural order. Threads share the columns,
///         then the rows. Each stage reads and writes memory once. A library would do so more
///         often, and would use one thread.
/// Cost    sqrt(n) divisions, to find the factors.
/// Source  Bailey 1990. `problem` is as checked() returns it.
std::vector<Stage> long_line_stages(const Problem& problem);

/// Throws invalid_argument if a plan that treats one axis as two on one rank has other stages than
/// these two.
void check_long_line(const Plan& plan);

}  // namespace weft
