#include "layout/check.hpp"
#include "layout/parts.hpp"

#include <algorithm>
#include <numeric>

#include <weft/error.hpp>

namespace weft {
namespace {

/// Returns the axis along which the boxes have the most distinct lower bounds. A search along this
/// axis compares the fewest pairs of boxes.
int sweep_axis(const Shape& shape, const std::vector<Box>& boxes) {
  int best = 0;
  std::size_t most = 0;
  for (int axis = 0; axis < static_cast<int>(shape.size()); ++axis) {
    std::vector<std::int64_t> starts;
    for (const Box& box : boxes) starts.push_back(box.lower[axis]);
    std::sort(starts.begin(), starts.end());
    const std::size_t distinct = std::unique(starts.begin(), starts.end()) - starts.begin();
    if (distinct > most) {
      most = distinct;
      best = axis;
    }
  }
  return best;
}

void check_no_overlap(const Shape& shape, const std::vector<Box>& boxes) {
  const int axis = sweep_axis(shape, boxes);
  std::vector<std::size_t> by_start;
  for (std::size_t rank = 0; rank < boxes.size(); ++rank)
    if (!boxes[rank].empty()) by_start.push_back(rank);
  std::sort(by_start.begin(), by_start.end(), [&](std::size_t a, std::size_t b) {
    return boxes[a].lower[axis] < boxes[b].lower[axis];
  });
  for (std::size_t i = 0; i < by_start.size(); ++i) {
    const Box& a = boxes[by_start[i]];
    for (std::size_t j = i + 1; j < by_start.size(); ++j) {
      const Box& b = boxes[by_start[j]];
      if (b.lower[axis] >= a.upper[axis]) break;
      if (!meet(a, b)) continue;
      const auto [first, second] = std::minmax(by_start[i], by_start[j]);
      throw Error(ErrorCode::invalid_argument,
                  "the boxes of two ranks must not overlap; rank " + std::to_string(first) +
                      " has " + to_string(boxes[first]) + " and rank " + std::to_string(second) +
                      " has " + to_string(boxes[second]));
    }
  }
}

}  // namespace

void check_dims(const Box& box, const Shape& shape) {
  const std::size_t dims = shape.size();
  if (box.lower.size() != dims || box.upper.size() != dims)
    throw Error(ErrorCode::invalid_argument,
                "a box has one range for each of the " + std::to_string(dims) +
                    " axes; given lower bounds (" + join(box.lower, ", ") + ") and upper bounds (" +
                    join(box.upper, ", ") + ")");
}

void check_box(const Box& box, const Shape& shape) {
  check_dims(box, shape);
  for (std::size_t axis = 0; axis < shape.size(); ++axis)
    if (box.lower[axis] < 0 || box.lower[axis] > box.upper[axis] || box.upper[axis] > shape[axis])
      throw Error(ErrorCode::invalid_argument,
                  "a box must be inside the array, with lower <= upper; given " + to_string(box) +
                      " for the shape " + to_string(shape));
}

void check_tiling(const Shape& shape, const std::vector<Box>& boxes) {
  check_no_overlap(shape, boxes);
  // Boxes that do not overlap cover the array exactly if their volumes add up to its volume.
  std::int64_t covered = 0;
  for (const Box& box : boxes) covered += box.volume();
  if (covered != volume(shape))
    throw Error(ErrorCode::invalid_argument, "the boxes of all ranks must cover the array; " +
                                                 std::to_string(volume(shape) - covered) + " of " +
                                                 std::to_string(volume(shape)) +
                                                 " elements of the shape " + to_string(shape) +
                                                 " belong to no rank");
}

}  // namespace weft
