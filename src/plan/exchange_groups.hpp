#pragma once

#include <cstdint>

#include <weft/layout.hpp>

namespace weft {

/// Returns the number of the rank's group. The ranks of a group exchange among themselves: rows or
/// columns of the process grid if only some axes are exchanged, otherwise all ranks.
std::int64_t group_color(const Layout& from, const Layout& to, std::int64_t rank);

/// Returns the number of ranks of one color, which is the same for each group.
std::int64_t ranks_of_group(const Layout& from, const Layout& to);

}  // namespace weft
