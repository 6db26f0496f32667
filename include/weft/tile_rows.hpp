#pragma once

#include <cstddef>
#include <cstdint>

#include "weft/layout.hpp"
#include "weft/tile.h"

namespace weft {

/// The elements of a tile along one axis.
struct TileRow {
  std::int64_t offset = 0;              ///< of the first element, from the start of each array
  const std::int64_t* index = nullptr;  ///< index of the first element in the tile, by axis
};

/// Returns the axis along which loops over a tile are fast, because its elements are adjacent in
/// memory. If no such axis has more than one element, returns the longest axis.
inline std::int64_t row_axis(const Tile& tile) {
  std::int64_t longest = 0;
  for (std::int64_t axis = 0; axis < tile.dims; ++axis) {
    if (tile.strides[axis] == 1 && tile.extents[axis] > 1) return axis;
    if (tile.extents[axis] > tile.extents[longest]) longest = axis;
  }
  return longest;
}

/// Calls visit(row) for each row of a tile along `axis`, in the order of memory.
template <class Visit>
void for_each_row(const Tile& tile, std::int64_t axis, Visit&& visit) {
  std::int64_t index[max_dims] = {};
  std::int64_t others[max_dims] = {};  // from the largest stride to the smallest
  std::int64_t count = 0;
  for (std::int64_t a = 0; a < tile.dims; ++a) {
    if (tile.extents[a] < 1) return;
    if (a == axis) continue;
    std::int64_t at = count++;
    for (; at > 0 && tile.strides[others[at - 1]] < tile.strides[a]; --at)
      others[at] = others[at - 1];
    others[at] = a;
  }
  TileRow row{0, index};
  while (true) {
    visit(static_cast<const TileRow&>(row));
    std::int64_t at = count - 1;
    for (; at >= 0; --at) {
      const std::int64_t a = others[at];
      row.offset += tile.strides[a];
      if (++index[a] < tile.extents[a]) break;
      row.offset -= tile.extents[a] * tile.strides[a];
      index[a] = 0;
    }
    if (at < 0) return;
  }
}

}  // namespace weft
