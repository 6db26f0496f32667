#pragma once

#include <cstdint>
#include <vector>

#include <weft/plan.hpp>

namespace weft {

/// Returns the stages of one axis of n points on `ranks` of the problem's ranks. They are a
/// convolution with a chirp (Bluestein) of m1*m2 >= n_in + n_out - 1 points. Returns none without
/// suitable m1 and m2. Needs 32 points for the accuracy of other plans. n_in and n_out are the
/// elements of the array before and after: n and n/2+1 for r2c.
///
/// Lengths  m1 and m2 have no primes above 7 and are at least `ranks`. The best ones leave ranks
///          the least idle, have the least padding and are the most alike.
/// Layouts  Both ends are of one axis, in natural order, and are rows of m2, the last one cut
///          short. In a layout that weft chooses, every rank gets a row; the caller's layouts must
///          not cut any row.
/// Cost     thousands of divisions; a look at each rank's box.
/// Source   Bluestein 1970; the rest as view_stages(). `problem` is as checked() returns it.
std::vector<Stage> chirp_stages(const Problem& problem, std::int64_t ranks);

/// Returns whether a convolution costs no more than the work of one rank alone: FFT libraries also
/// transform lengths with large primes by convolutions. Lengths without large primes and without
/// two factors are short.
bool suits_a_chirp(const Problem& problem);

/// Throws invalid_argument unless a plan with a convolution has the required stages.
void check_chirp(const Plan& plan);

}  // namespace weft
