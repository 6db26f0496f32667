#pragma once

#include <cstdint>

#include <weft/layout.hpp>

namespace weft {

/// Returns the number of the rank's group. The ranks of a group exchange only with each other. They
/// have the same position along each axis that both layouts split. So a group is a row or a column
/// of the process grid. If both layouts split no common axis, all ranks are one group.
std::int64_t group_number(const Layout& from, const Layout& to, std::int64_t rank);

/// Returns the number of ranks in each group. All groups have the same number.
std::int64_t ranks_per_group(const Layout& from, const Layout& to);

}  // namespace weft
