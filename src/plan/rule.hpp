#pragma once

#include <weft/plan.hpp>

namespace weft {

/// What output "same" means: the input's ownership on the output's shape.
/// Throws invalid_argument for boxes that split the axis which r2c halves: there is no such layout.
Layout same_layout(const Layout& input, const Problem& problem);

}  // namespace weft
