#pragma once

#include <cstdint>
#include <vector>

#include <weft/layout.hpp>

namespace weft {

/// An array of which some axes are still to be transformed.
struct Untransformed {
  Shape shape;
  std::vector<int> axes;  ///< axes that are still to be transformed
  int halved = -1;        ///< the axis that r2c halves, which must not be split; -1: none
  Shape after;            ///< the shape when all are transformed
};

/// Returns the layout in which the fixed rule begins to transform an array.
///
/// It is the first possible one of these:
/// - a split of one or two axes that are not transformed, if every rank gets a part: nothing is
///   exchanged,
/// - a slab in which every rank gets rows, in this stage and in the next,
/// - the most square pencil, then the most square brick, in which every rank gets elements,
/// - the grid that leaves the fewest ranks empty.
/// If no axis can be split, one rank gets everything.
Layout start_layout(const Untransformed& array, std::int64_t ranks);

/// As start_layout(), except for an array that only one rank can transform. Such an array is split
/// along its longest axis, because the caller's data may be too large for one rank.
Layout first_layout(const Untransformed& array, std::int64_t ranks);

/// Returns a slab along the longest axis. If several are equally long, the first one is split.
Layout longest_slab(const Shape& shape, std::int64_t ranks);

}  // namespace weft
