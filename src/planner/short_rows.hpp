#pragma once

#include <cstdint>

#include "weft/plan.hpp"

namespace weft::planner {

/// Returns whether ranks have only short parts of the rows of a plan's output. Tiles of short rows
/// are slower, which the model does not know.
inline bool cuts_rows(const Plan& plan) {
  constexpr std::int64_t short_row_bytes = 512;
  const Layout& output = plan.stages.back().target;
  if (!output.is_grid()) return false;
  const auto fastest = static_cast<std::size_t>(output.order().back());
  const std::int64_t parts = output.process_grid()[fastest];
  const std::int64_t row_bytes = output.shape()[fastest] * complex_bytes(plan.problem.precision);
  return parts > 1 && row_bytes < short_row_bytes * parts;
}

}  // namespace weft::planner
