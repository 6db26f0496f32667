#pragma once

#include "ooc/plan/pass_plan.hpp"

namespace weft::ooc {

/// Makes the plan with the fewest passes, and among these the one with the widest panels. Trailing
/// axes that fit into memory together are one pass. The axes before them are grouped likewise, in
/// panels of at least B. An axis that is too long for this is split into radices.
///
/// Runs    At least a block where lengths are powers of two. Otherwise a panel's columns are whole
///         multiples of the earlier radices where these are below a block. This may cost up to half
///         of it. Last panels are ragged.
/// Reals   of one axis of even length are taken in pairs, by the passes of half as many complex
///         numbers. Otherwise r2c and c2r transform whole lines in memory. The halved axis is in
///         the first pass of r2c and in the last one of c2r. Where that axis is too long, passes of
///         complex numbers do it, and the first and the last one convert.
/// Cosines Lines of cosines and sines are whole in memory, in any pass with a block of each of their
///         points. They transform reals, or after r2c and before c2r both parts of complex numbers.
/// Filter  The passes there leave the digits of long axes in opposite order, so no pass moves
///         elements. The last of them multiplies by the factors and is the first one back: k passes
///         there and k back are 2k - 1. Reals have half a spectrum where memory holds lines of the
///         halved axis. Otherwise they are filtered as complex numbers.
/// Primes  In an array of one axis, memory may not hold B points of the largest prime factor. Then
///         Bluestein's algorithm does the transform: a convolution of at least twice the length.
/// Place   In place the first pass reads the output. It writes there too where it keeps the order.
///         Otherwise, as for one axis in natural order, it writes scratch space of the whole array.
/// Errors  Error(invalid_argument) for a shape, axes, precision or option outside the rules; for
///         memory that is too small (the message has enough), also for a whole line of cosines; for
///         such a prime factor in an array of several axes, or for a filter; and for a transposed
///         order that two passes cannot make.
/// Cost    milliseconds.
/// Source  Bailey's six-step method, with k radices in Stockham's order; Bluestein 1970.
KPassPlan plan_passes(const KPassProblem& problem);

}  // namespace weft::ooc
