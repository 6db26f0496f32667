#pragma once

#include <cstdint>

#include <weft/layout.hpp>

namespace weft {

/// Numbers the groups of ranks that exchange among themselves: the rows or columns of the process
/// grid where only some axes change hands, else all ranks.
std::int64_t group_color(const Layout& from, const Layout& to, std::int64_t rank);

/// How many ranks have one color: as many in each group.
std::int64_t ranks_of_group(const Layout& from, const Layout& to);

}  // namespace weft
