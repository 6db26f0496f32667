#pragma once

#include <cstdint>
#include <vector>

#include <weft/plan.hpp>

namespace weft {

/// Returns the stages of a transform of one axis of n points on `ranks` of the problem's ranks. The
/// transform becomes a convolution with a chirp (Bluestein) of m1*m2 >= n_in + n_out - 1 points.
/// The array has n_in elements before the transform and n_out after it: n and n/2+1 for r2c, n and
/// n for c2c. Returns no stages for other problems, or if there are no suitable m1 and m2. Also
/// returns none for n < 32, because the result would be less accurate than that of other plans.
///
/// Lengths  m1 and m2 have no primes above 7 and are at least `ranks`. weft prefers similar lengths
///          that balance the ranks and need little padding.
/// Layouts  Input and output have one axis in natural order. This axis counts as rows of m2 points;
///          the last row may be shorter. If weft chooses a layout, each of `ranks` ranks gets at
///          least one row. The caller's layouts must not cut any row.
/// Cost     thousands of divisions, and each rank's box.
/// Source   Bluestein 1970; the rest as view_stages(). `problem` is as checked() returns it.
std::vector<Stage> chirp_stages(const Problem& problem, std::int64_t ranks);

/// Returns whether a convolution may be used for this problem: for c2c and r2c of lengths with
/// large primes, because FFT libraries transform such lengths by convolutions too. Other lengths
/// need no convolution: they have two suitable factors, or are short.
bool suits_a_chirp(const Problem& problem);

/// Throws invalid_argument unless a plan with a convolution has the required stages.
void check_chirp(const Plan& plan);

}  // namespace weft
