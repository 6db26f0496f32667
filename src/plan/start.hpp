#pragma once

#include <cstdint>
#include <vector>

#include <weft/layout.hpp>

namespace weft {

/// An array of which some axes are still to be transformed.
struct Untransformed {
  Shape shape;
  std::vector<int> axes;  ///< that are to be transformed
  int halved = -1;        ///< stays whole; -1: none
  Shape after;            ///< the shape when all are transformed
};

/// Returns the layout in which the fixed rule begins to transform an array.
///
/// It is the first possible one of these:
/// - a split batch axis of which every rank gets a part: nothing is exchanged,
/// - a slab in which every rank gets rows, in this stage and in the next,
/// - the most square pencil,
/// - the grid that leaves the fewest ranks empty.
/// If no axis can be split, one rank gets everything.
Layout start_layout(const Untransformed& array, std::int64_t ranks);

/// As start_layout, but an array that only one rank can transform is spread along its longest axis.
/// The caller's data may be too large for one rank, and a later stage may find another plan.
Layout first_layout(const Untransformed& array, std::int64_t ranks);

/// Returns a slab along the longest axis, the first of equals.
Layout longest_slab(const Shape& shape, std::int64_t ranks);

}  // namespace weft
