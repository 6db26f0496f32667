#pragma once

#include <cstdint>

#include <weft/layout.hpp>

namespace weft {

/// Returns the number of the rank's group. The ranks of a group exchange only with each other. If
/// both layouts are process grids of all ranks with the same numbers of parts, a group is a row or
/// a column of the grid. Its ranks have the same position along each axis that both grids split.
/// For other layouts, and if both grids split no common axis, all ranks are one group.
std::int64_t group_number(const Layout& from, const Layout& to, std::int64_t rank);

/// Returns the number of ranks in each group. All groups have the same number.
std::int64_t ranks_per_group(const Layout& from, const Layout& to);

}  // namespace weft
