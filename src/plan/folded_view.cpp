#include "plan/folded_view.hpp"

#include <algorithm>
#include <numeric>
#include <utility>
#include <vector>

#include <weft/error.hpp>

namespace weft {
namespace {

std::int64_t half_of(const Shape& view) { return view[0] * view[1] / 2 + 1; }

Shape columns_shape(const Shape& view) { return {view[0] / 2 + 1, view[1]}; }

/// Returns the position in folded order of the first column that is needed from element `k` of the
/// natural order on.
std::int64_t first_column(std::int64_t k, const Shape& view) {
  return k == half_of(view) ? view[1] : 2 * (k / view[0]);
}

/// Returns whether all parts have the same number of pairs. Both orders are then process grids
/// instead of lists of boxes, so the plans of many ranks are short.
bool are_even(const Shape& view, std::int64_t parts) {
  return view[1] % 2 == 0 && view[1] / 2 % parts == 0;
}

}  // namespace

HalfCuts cuts_of(const Layout& half) {
  HalfCuts cuts;
  for (std::int64_t rank = 0; rank < half.ranks(); ++rank) {
    const Box box = half.box(rank);
    if (box.empty()) continue;
    cuts.unit = std::gcd(cuts.unit, box.lower[0]);
    if (box.upper[0] != half.shape()[0]) cuts.unit = std::gcd(cuts.unit, box.upper[0]);
    cuts.last = std::max(cuts.last, box.lower[0]);
  }
  return cuts;
}

bool fit(const HalfCuts& cuts, const Shape& view) {
  return cuts.unit % view[0] == 0 && cuts.last < natural_rows(view) * view[0];
}

std::int64_t natural_rows(const Shape& view) { return (view[1] + 1) / 2; }

Layout half_between_rows(const Shape& view, std::int64_t busy, std::int64_t ranks) {
  const Shape half{half_of(view)};
  if (are_even(view, busy)) return Layout::grid(half, {busy}, {}, ranks);
  std::vector<Box> boxes(static_cast<std::size_t>(ranks), Box{{0}, {0}});
  for (std::int64_t rank = 0; rank < busy; ++rank) {
    const Range rows = balanced_part(natural_rows(view), rank, busy);
    const bool is_last = rank + 1 == busy;
    boxes[static_cast<std::size_t>(rank)] = {{rows.lo * view[0]},
                                             {is_last ? half[0] : rows.hi * view[0]}};
  }
  return Layout::of_boxes(half, std::move(boxes));
}

Layout folded_columns(const Layout& half, const Shape& view) {
  if (!fit(cuts_of(half), view))
    throw Error(ErrorCode::layout_mismatch,
                "half a spectrum whose axis is seen as " + to_string(view) +
                    " must not be cut within rows of " + std::to_string(view[0]) +
                    " elements, nor before its last element alone; given " + half.describe());
  const Shape columns = columns_shape(view);
  const bool is_symbolic = half.is_grid() && half.first_rank() == 0;
  if (is_symbolic && are_even(view, half.process_grid()[0]))
    return Layout::grid(columns, {1, half.process_grid()[0]}, {}, half.ranks());
  std::vector<Box> boxes;
  for (std::int64_t rank = 0; rank < half.ranks(); ++rank) {
    const Box box = half.box(rank);
    Box mine{{0, 0}, {0, 0}};
    if (!box.empty())
      mine = {{0, first_column(box.lower[0], view)},
              {columns[0], first_column(box.upper[0], view)}};
    boxes.push_back(std::move(mine));
  }
  return Layout::of_boxes(columns, std::move(boxes));
}

}  // namespace weft
