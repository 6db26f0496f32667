#pragma once

#include "ooc/plan/pass_plan.hpp"

namespace weft::ooc {

/// Makes the plan with the fewest passes, and among these the one with the widest panels. Trailing
/// axes that fit into memory together are one pass. The axes before them are grouped in the same
/// way, in panels of at least a block B. An axis that is too long for this is divided into radices.
///
/// Runs    For lengths that are powers of two, runs have at least a block. For other lengths, if
///         the product of the earlier radices is shorter than a block, a panel's columns are a
///         whole multiple of this product. Runs may then be as short as half a block. The last
///         panels may be smaller.
/// Reals   The reals of an array of one axis of even length are read in pairs, as half as many
///         complex numbers. Otherwise r2c and c2r transform whole lines in memory. The halved axis
///         is in the first pass of r2c and in the last pass of c2r. If that axis is too long, it
///         has passes of complex numbers, and the first and the last pass convert. If it is also
///         the last axis and even, its reals are read in pairs, too.
/// Cosines Lines of cosines and sines must fit in memory as a whole, with a block for each of their
///         points. Any pass may have them. They transform reals or, after r2c and before c2r, both
///         parts of complex numbers.
/// Filter  The forward passes leave the digits of long axes in opposite order, so no pass moves
///         elements. The last of them multiplies by the factors, and is also the first backward
///         pass. So k passes forward and k backward are 2k - 1. Reals have half a spectrum if lines
///         of the halved axis fit in memory. Otherwise they are filtered as complex numbers.
/// Primes  If an array has a single axis, and memory cannot hold B columns of its largest prime
///         factor, Bluestein's algorithm does the transform. It is a convolution of at least 2n - 1
///         points.
/// Place   In place the first pass reads the output. If it keeps the order of elements, it also
///         writes there. Otherwise, as for one axis in natural order, it writes to scratch space
///         for the whole array.
/// Errors  Error(invalid_argument) for a shape, axes, precision or option that breaks a rule. Also
///         for too little memory, for example for a whole line of cosines (the message says how
///         much is enough). Also for such a prime factor in an array of several axes or for a
///         filter, and for a transposed order that two passes cannot make.
/// Cost    milliseconds.
/// Source  Bailey's six-step method, with k radices in Stockham's order; Bluestein 1970.
KPassPlan plan_passes(const KPassProblem& problem);

}  // namespace weft::ooc
