#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <weft/plan.hpp>

namespace weft {

/// The stages of one axis on so many of the problem's ranks, the axis seen as n1 x n2; none where
/// there are no factors that serve.
///
/// Factors  n1 (r2c: n1/2+1) and n2 (r2c in natural order: n2/2, rounded up) are at least `ranks`; of
///          all, those that leave ranks the least idle, are the most alike and have no large primes.
///          Rows of n2 must not be cut by the input, rows of n1 not by an output in natural order.
/// Layouts  An input that the caller did not give is cut between rows. With output "same" it is cut
///          where rows of both lengths end; of r2c the output is cut between its own rows.
/// Cost     sqrt(n) divisions; a look at each rank's box.
/// Source   Bailey 1990; Frigo and Johnson 2005.
/// `problem` is as checked() returns it.
std::vector<Stage> view_stages(const Problem& problem, std::int64_t ranks);

/// Why an array of one axis is not seen as two on all ranks, in words; empty where it is, where it
/// has more axes, and on one rank.
std::string why_no_view(const Problem& problem);

/// A layout of one axis as one of the view: whole rows along axis 0, or whole columns along axis 1,
/// which lie one after the other in the memory order (1, 0).
/// Throws layout_mismatch where it cuts one.
Layout viewed(const Layout& flat, const Shape& view, int axis);

/// Throws invalid_argument unless the stages of a plan with a view are those that it must have.
void check_view(const Plan& plan);

}  // namespace weft
