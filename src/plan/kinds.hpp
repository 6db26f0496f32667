#pragma once

#include <cstdint>

#include <weft/plan.hpp>

#include "base/kinds.hpp"

namespace weft {

/// Returns the product of the logical lengths of all transformed axes: the number by which forward
/// and the unscaled backward multiply.
std::int64_t logical_points(const Problem& problem);

/// Returns one kind for each axis of a problem. Throws invalid_argument unless there are as many as
/// axes, or one.
Kinds kinds_by_axis(const Kinds& given, std::size_t axes);

/// Gives each stage the elements of its arrays: those of the problem, until a stage makes complex
/// numbers of reals.
void set_elements(std::vector<Stage>& stages, const Problem& problem);

}  // namespace weft
