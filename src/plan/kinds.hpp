#pragma once

#include <cstdint>

#include <weft/plan.hpp>

#include "base/kinds.hpp"

namespace weft {

/// Returns the product of the logical lengths of all transformed axes. Forward and the unscaled
/// backward together multiply by this number.
std::int64_t logical_points(const Problem& problem);

/// Returns one kind for each of the transformed axes. A single given kind other than r2c holds for
/// all axes. A single r2c means r2c along the last axis and c2c along the others. Otherwise throws
/// invalid_argument unless there is one kind for each axis.
Kinds kinds_by_axis(const Kinds& given, std::size_t axes);

/// Sets the element types of the source and target of each stage. Stages have the problem's element
/// type, until a stage turns reals into complex numbers.
void set_elements(std::vector<Stage>& stages, const Problem& problem);

}  // namespace weft
