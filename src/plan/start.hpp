#pragma once

#include <cstdint>
#include <vector>

#include <weft/layout.hpp>

namespace weft {

/// The layout in which the rule begins to transform `axes` of an array of `shape`.
///
/// A batch axis is split where every rank gets a part of it (then nothing is exchanged); else a
/// slab where every rank gets rows in this stage and in the next; else the most square pencil; else
/// the grid that leaves the fewest ranks empty. `halved` (-1: none) stays whole. Where no axis is
/// free to be split, one rank gets everything.
Layout start_layout(const Shape& shape, const std::vector<int>& axes, int halved,
                    std::int64_t ranks);

/// As start_layout, but an array that only one rank can transform is spread along its longest axis:
/// a caller's data should not have to fit on one rank before it is known to be the only way.
Layout first_layout(const Shape& shape, const std::vector<int>& axes, int halved,
                    std::int64_t ranks);

/// A slab along the longest axis, the first of equals.
Layout longest_slab(const Shape& shape, std::int64_t ranks);

}  // namespace weft
