#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <weft/plan.hpp>

namespace weft {

/// Returns the stages of one axis on `ranks` of the problem's ranks, the axis seen as n1 x n2; none
/// without suitable factors.
///
/// Factors  n1 (r2c: n1/2+1) and n2 (r2c in natural order: n2/2, rounded up) are at least `ranks`.
///          The best ones leave ranks the least idle, are the most alike and have no large primes.
///          The input must not cut rows of n2; an output in natural order must not cut rows of n1.
/// Layouts  An input that the caller did not give is cut between rows. With output "same" it is cut
///          where rows of both lengths end; the output of r2c is cut between its own rows.
/// Cost     sqrt(n) divisions; a look at each rank's box.
/// Source   Bailey 1990; Frigo and Johnson 2005. `problem` is as checked() returns it.
std::vector<Stage> view_stages(const Problem& problem, std::int64_t ranks);

/// Returns the reason why an array of one axis is not seen as two on all ranks. Empty if it is, if
/// it has more axes, and on one rank.
std::string why_no_view(const Problem& problem);

/// Returns a layout of one axis as a layout of the view: whole rows along axis 0, or whole columns
/// along axis 1, which are contiguous in the memory order (1, 0). Throws layout_mismatch if it cuts
/// one.
Layout viewed(const Layout& flat, const Shape& view, int axis);

/// Returns a stage as it is executed. Where one axis is seen as two, its array has the two axes
/// before and after, with the same memory.
Stage seen(Stage stage);

/// Throws invalid_argument unless a plan with a view has the required stages.
void check_view(const Plan& plan);

}  // namespace weft
