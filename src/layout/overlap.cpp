#include "layout/overlap.hpp"

#include <weft/error.hpp>

#include "layout/parts.hpp"

namespace weft {
namespace {

void check_same_array(const Layout& mine, const Layout& other) {
  if (mine.shape() == other.shape() && mine.ranks() == other.ranks()) return;
  throw Error(ErrorCode::layout_mismatch,
              "two layouts that exchange must have the same shape and number of ranks; given " +
                  mine.describe() + " and " + other.describe());
}

}  // namespace

std::vector<Overlap> overlaps(const Layout& mine, std::int64_t rank, const Layout& other) {
  check_same_array(mine, other);
  std::vector<Overlap> found;
  const Box box = mine.box(rank);
  for (std::int64_t peer : other.ranks_meeting(box))
    found.push_back({peer, intersect(box, other.box(peer))});
  return found;
}

std::int64_t count_overlaps(const Layout& mine, std::int64_t rank, const Layout& other) {
  check_same_array(mine, other);
  const Box box = mine.box(rank);
  if (box.empty()) return 0;
  std::int64_t count = 0;
  if (!other.is_grid()) {
    for (const Box& theirs : other.boxes()) count += meet(box, theirs);
    return count;
  }
  count = 1;
  for (int axis = 0; axis < other.dims(); ++axis) {
    const std::int64_t n = other.shape()[axis];
    const std::int64_t parts = other.process_grid()[axis];
    // With more parts than indices every index has its own part.
    count *= parts > n ? box.extent(axis)
                       : parts_meeting(n, parts, {box.lower[axis], box.upper[axis]}).size();
  }
  return count;
}

}  // namespace weft
