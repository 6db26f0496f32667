#include "plan/chunks.hpp"

#include <algorithm>

#include "base/checked.hpp"
#include "base/rounding.hpp"

namespace weft {
namespace {

bool transforms(const Stage& stage, int axis) {
  return std::find(stage.axes.begin(), stage.axes.end(), axis) != stage.axes.end();
}

std::int64_t longest_range(const Layout& layout, int axis) {
  if (layout.is_grid()) {
    const std::int64_t parts = layout.process_grid()[axis];
    return divided_up(layout.shape()[axis], parts);
  }
  std::int64_t longest = 0;
  for (std::int64_t rank = 0; rank < layout.ranks(); ++rank) {
    const Box box = layout.box(rank);
    if (!box.empty()) longest = std::max(longest, box.extent(axis));
  }
  return longest;
}

/// Returns the distance between the numbers of ranks that are neighbours along an axis of the grid.
std::int64_t rank_stride(const Layout& layout, int axis) {
  std::int64_t stride = 1;
  for (int later = axis + 1; later < layout.dims(); ++later) stride *= layout.process_grid()[later];
  return stride;
}

/// Returns whether the layout is a process grid from rank 0 on, in which no part is empty.
bool is_full_grid(const Layout& layout) {
  return layout.is_grid() && layout.first_rank() == 0 &&
         layout.empty_ranks() == layout.ranks() - volume(layout.process_grid());
}

/// Returns whether every rank that owns data has the same range of the axis in both layouts.
bool keeps_ranges(const Layout& from, const Layout& to, int axis) {
  if (is_full_grid(from) && is_full_grid(to)) {
    const std::int64_t parts = from.process_grid()[axis];
    return volume(from.process_grid()) == volume(to.process_grid()) &&
           parts == to.process_grid()[axis] &&
           (parts == 1 || rank_stride(from, axis) == rank_stride(to, axis));
  }
  for (std::int64_t rank = 0; rank < from.ranks(); ++rank) {
    const Box before = from.box(rank);
    const Box after = to.box(rank);
    if (before.empty() && after.empty()) continue;
    if (before.lower[axis] != after.lower[axis] || before.upper[axis] != after.upper[axis])
      return false;
  }
  return true;
}

Stage reversed(const Stage& stage) { return {stage.target, stage.source, stage.axes}; }

}  // namespace

Chunking chunking_of(const Stage& earlier, const Stage& later) {
  Chunking best;
  std::int64_t most = 1;
  for (int axis = 0; axis < earlier.target.dims(); ++axis) {
    if (transforms(earlier, axis)) continue;
    const std::int64_t count = longest_range(earlier.target, axis);
    if (count < 2) continue;  // avoids keeps_ranges(), which may visit every rank
    const bool both = !transforms(later, axis) && keeps_ranges(earlier.target, later.source, axis);
    if ((best.both && !both) || (best.both == both && count <= most)) continue;
    best = {axis, both};
    most = count;
  }
  return best;
}

std::int64_t slices(const Chunking& chunking, const Layout& from) {
  return chunking.axis < 0 ? 1 : longest_range(from, chunking.axis);
}

std::int64_t most_slices(const Plan& plan, std::size_t exchange) {
  const Stage& first = plan.stages[exchange];
  const Stage& second = plan.stages[exchange + 1];
  const Stage back_first = reversed(second);
  const Stage back_second = reversed(first);
  return std::max(slices(chunking_of(first, second), first.target),
                  slices(chunking_of(back_first, back_second), back_first.target));
}

Range chunk_range(const Range& range, std::int64_t chunk, std::int64_t chunks) {
  const std::int64_t size = range.size();
  return {range.lo + checked_mul(size, chunk, "a chunk") / chunks,
          range.lo + checked_mul(size, chunk + 1, "a chunk") / chunks};
}

}  // namespace weft
