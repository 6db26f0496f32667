#pragma once

#include "ooc/plan/pass_plan.hpp"

namespace weft::ooc {

/// Makes the plan with the fewest passes; of these the one with the widest panels. Trailing axes
/// that fit into memory together are one pass, the axes before them are grouped likewise, in panels
/// of at least B; an axis too long for that is split into radices.
///
/// Runs    at least a block where lengths are powers of two. Else a panel's columns are whole
///         multiples of the radices before where these are below a block, which may take up to half
///         of it; and last panels are ragged.
/// Reals   of one axis of even length are taken in pairs, in the passes of half as many complex
///         numbers. Else lines are transformed by r2c and c2r in memory, the halved axis in the
///         first pass of r2c and the last one of c2r; where it is too long for that, by the passes
///         of complex numbers, of which the first and the last one convert.
/// Primes  Of an array of one axis, a length with a prime factor of which memory cannot hold B points
///         is done by Bluestein's algorithm: a convolution of twice the length at least.
/// Place   In place the first pass reads the output, and writes there where it keeps the order; else
///         into scratch space of the whole array, as of one axis in natural order.
/// Errors  Error(invalid_argument) for a shape, axes, precision or option outside the rules, for
///         memory that is too small (the message has what is enough), for such a prime factor in an
///         array of several axes, and for a transposed order that two passes cannot make.
/// Cost    milliseconds.
/// Source  Bailey's six-step method, in the form with k radices in Stockham's order; Bluestein 1970.
KPassPlan plan_passes(const KPassProblem& problem);

}  // namespace weft::ooc
