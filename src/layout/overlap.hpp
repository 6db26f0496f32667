#pragma once

#include <cstdint>
#include <vector>

#include <weft/layout.hpp>

namespace weft {

/// The part of the array that one rank holds in one layout and `peer` in another. Never empty.
struct Overlap {
  std::int64_t peer = 0;
  Box box;
  friend bool operator==(const Overlap&, const Overlap&) = default;
};

/// Returns the common parts of the box of `rank` in `mine` and the boxes of all ranks in `other`,
/// `rank` included, in rank order. Throws layout_mismatch unless both layouts have the same shape
/// and the same number of ranks.
std::vector<Overlap> overlaps(const Layout& mine, std::int64_t rank, const Layout& other);

/// Returns overlaps(mine, rank, other).size() without the list: constant time if `other` is a
/// process grid.
std::int64_t count_overlaps(const Layout& mine, std::int64_t rank, const Layout& other);

}  // namespace weft
