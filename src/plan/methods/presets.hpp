#pragma once

#include <cstddef>

#include <weft/plan.hpp>

namespace weft {

/// Returns the knobs that a preset forces on an exchange of a plan.
Knobs preset_knobs(Preset preset, std::size_t exchange);

}  // namespace weft
