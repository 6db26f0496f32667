#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <weft/plan.hpp>

namespace weft {

/// Returns the stages of a problem of one axis for `ranks` of its ranks. The axis is seen as two,
/// n1 x n2. Returns none if there are no suitable factors.
///
/// Factors  n1 (r2c: n1/2+1) and n2 (r2c in natural order: n2/2, rounded up) are at least `ranks`.
///          Of these, the choice balances the ranks, has similar factors and avoids large primes.
///          The input must not cut rows of n2; an output in natural order must not cut rows of n1.
/// Layouts  An input that the caller did not give is cut between rows. With output "same" the cuts
///          are multiples of n1 and of n2. For r2c the output is instead cut at multiples of n1.
/// Cost     sqrt(n) divisions; a look at each rank's box.
/// Source   Bailey 1990; Frigo and Johnson 2005. `problem` is as checked() returns it.
std::vector<Stage> view_stages(const Problem& problem, std::int64_t ranks);

/// Returns the reason why the axis of a problem of one axis is not seen as two on all ranks. Empty
/// if it is, and for problems of more axes or one rank.
std::string why_no_view(const Problem& problem);

/// Returns a layout of one axis as a layout of the view: whole rows along axis 0, or whole columns
/// along axis 1, which are contiguous in the memory order (1, 0). Throws layout_mismatch if it cuts
/// one.
Layout viewed(const Layout& flat, const Shape& view, int axis);

/// Returns a stage as it is executed. If its only axis is seen as two, its layouts get the two axes.
/// Their memory stays the same.
Stage seen(Stage stage);

/// Throws invalid_argument unless a plan with a view has the required stages.
void check_view(const Plan& plan);

}  // namespace weft
