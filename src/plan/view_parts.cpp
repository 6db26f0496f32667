#include "plan/view_parts.hpp"

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "base/rounding.hpp"

namespace weft {

Layout split(const Shape& view, int axis, std::int64_t busy, std::int64_t ranks) {
  Shape grid{1, 1};
  grid[static_cast<std::size_t>(axis)] = busy;
  return Layout::grid(view, grid, {}, ranks);
}

Layout cut_between(std::int64_t n, std::int64_t row, std::int64_t busy, std::int64_t ranks) {
  const std::int64_t rows = divided_up(n, row);
  if (n % row == 0 && rows % busy == 0) return Layout::grid({n}, {busy}, {}, ranks);
  std::vector<Box> boxes(static_cast<std::size_t>(ranks), Box{{0}, {0}});
  for (std::int64_t rank = 0; rank < busy; ++rank) {
    const Range part = balanced_part(rows, rank, busy);
    boxes[static_cast<std::size_t>(rank)] = {{part.lo * row}, {std::min(part.hi * row, n)}};
  }
  return Layout::of_boxes({n}, std::move(boxes));
}

double imbalance(std::int64_t rows, std::int64_t ranks) {
  const std::int64_t most = divided_up(rows, ranks);
  return static_cast<double>(most * ranks) / static_cast<double>(rows);
}

double unlikeness(const Shape& view) {
  return std::abs(std::log2(static_cast<double>(view[0])) -
                  std::log2(static_cast<double>(view[1])));
}

}  // namespace weft
