#pragma once

#include <cstdint>
#include <vector>

#include <weft/plan.hpp>

namespace weft {

/// The stages of one axis of n points on so many of the problem's ranks as a convolution with a
/// chirp (Bluestein), of m1*m2 >= n_in + n_out - 1 points; none where there are no m1 and m2 that
/// serve. It needs 32 points, to be as exact as other ways. n_in and n_out are the elements of the
/// array before and behind: of r2c n and n/2+1.
///
/// Lengths  m1 and m2 have no primes above 7 and are at least `ranks`; of all, those that leave ranks
///          the least idle, are the least too long and the most alike.
/// Layouts  Both ends are of one axis, in natural order, and are rows of m2, the last one cut short.
///          Where weft chooses one, every rank gets a row; those of the caller's must not cut any.
/// Cost     thousands of divisions; a look at each rank's box.
/// Source   Bluestein 1970; the rest as view_stages().
/// `problem` is as checked() returns it.
std::vector<Stage> chirp_stages(const Problem& problem, std::int64_t ranks);

/// Whether a convolution costs no more than one rank alone has to do: FFT libraries transform lengths
/// with large primes by convolutions too. Lengths without them that have no two factors are short.
bool suits_a_chirp(const Problem& problem);

/// Throws invalid_argument unless the stages of a plan that convolves are those that it must have.
void check_chirp(const Plan& plan);

}  // namespace weft
