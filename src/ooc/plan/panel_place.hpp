#pragma once

#include <cstdint>

#include "ooc/plan/pass_plan.hpp"

namespace weft::ooc {

/// The place of an element of a pass's source: its panel, and its offset in memory.
struct PanelPlace {
  std::int64_t panel = 0;
  std::int64_t offset = 0;    ///< in the panel's memory, in elements
  std::int64_t elements = 1;  ///< number of elements from here on that are adjacent both in the
                              ///< source and in memory
};
PanelPlace panel_place(const KPass& pass, std::int64_t element);

}  // namespace weft::ooc
