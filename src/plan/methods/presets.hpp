#pragma once

#include <cstddef>

#include <weft/plan.hpp>

namespace weft {

/// Returns the choices that a preset forces on exchange `number` of a plan.
Exchange preset_exchange(Preset preset, std::size_t number);

}  // namespace weft
