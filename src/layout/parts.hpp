#pragma once

#include <weft/layout.hpp>

namespace weft {

/// The type of products of two 64-bit numbers. n * part overflows 64 bits for 2^40 points on 2^24
/// ranks.
__extension__ using Wide = __int128;

/// n indices are divided into `parts` parts. Returns the parts that own the indices of a range,
/// which must not be empty. If there are more parts than indices, some of the returned parts are
/// empty.
inline Range parts_meeting(std::int64_t n, std::int64_t parts, Range range) {
  if (parts == 1) return {0, 1};
  // The part that owns index i is floor(((i + 1) * parts - 1) / n), the inverse of balanced_part.
  auto owner = [&](std::int64_t i) {
    return static_cast<std::int64_t>((static_cast<Wide>(i + 1) * parts - 1) / n);
  };
  return {owner(range.lo), owner(range.hi - 1) + 1};
}

/// Returns whether two boxes of one array have a common element. Allocates nothing, unlike
/// intersect.
inline bool meet(const Box& a, const Box& b) {
  for (int axis = 0; axis < a.dims(); ++axis) {
    const std::int64_t lo = a.lower[axis] > b.lower[axis] ? a.lower[axis] : b.lower[axis];
    const std::int64_t hi = a.upper[axis] < b.upper[axis] ? a.upper[axis] : b.upper[axis];
    if (lo >= hi) return false;
  }
  return true;
}

}  // namespace weft
