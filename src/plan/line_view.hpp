#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <weft/plan.hpp>

namespace weft {

/// Returns the stages of a problem of one axis for `ranks` of its ranks. The stages treat the axis
/// as two, n1 x n2. Returns no stages if there are no suitable factors. `problem` is as checked()
/// returns it.
///
/// Factors  n1 (r2c: n1/2+1) and n2 (r2c in natural order: n2/2, rounded up) are at least `ranks`.
///          weft prefers similar factors without large primes that balance the ranks.
///          The input must not cut rows of n2; an output in natural order must not cut rows of n1.
/// Layouts  If weft chooses the input, its cuts are between rows of n2. With output "same" and c2c,
///          they are also between rows of n1. With output "same" and r2c, the cuts of the output
///          are between rows of n1.
/// Cost     sqrt(n) divisions, and each rank's box.
/// Source   Bailey 1990; Frigo and Johnson 2005.
std::vector<Stage> view_stages(const Problem& problem, std::int64_t ranks);

/// Returns the reason why no factors suit the single axis of a problem on all ranks. Empty if some
/// factors suit. Also empty for problems that never have views: one rank, several axes, cosines,
/// sines, modes or support.
std::string why_no_view(const Problem& problem);

/// Returns a layout of one axis as a layout of the view. Each rank has whole rows if `axis` is 0,
/// whole columns if it is 1. Columns are contiguous: their memory order is (1, 0). Throws
/// layout_mismatch if the layout cuts a row or a column.
Layout viewed_layout(const Layout& flat, const Shape& view, int axis);

/// Returns a stage as it is executed. If only one of its two layouts has the axis as two, the other
/// layout gets two axes as well. The memory does not change.
Stage viewed_stage(Stage stage);

/// Throws invalid_argument unless a plan with a view has the required stages.
void check_view(const Plan& plan);

}  // namespace weft
