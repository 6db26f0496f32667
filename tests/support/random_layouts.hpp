#pragma once

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <random>
#include <vector>

#include <weft/layout.hpp>

namespace weft::test_support {

using Random = std::mt19937_64;

/// A number of [lo, hi], the same on every platform (std::uniform_int_distribution is not).
inline std::int64_t draw(Random& random, std::int64_t lo, std::int64_t hi) {
  return lo + static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(hi - lo + 1));
}

template <class T>
void shuffle(std::vector<T>& values, Random& random) {
  for (std::size_t i = values.size(); i > 1; --i)
    std::swap(values[i - 1],
              values[static_cast<std::size_t>(draw(random, 0, static_cast<std::int64_t>(i) - 1))]);
}

inline std::vector<int> random_order(int dims, Random& random) {
  std::vector<int> order(static_cast<std::size_t>(dims));
  std::iota(order.begin(), order.end(), 0);
  shuffle(order, random);
  return order;
}

/// Cuts a random box in two at a random place. Returns false if no box can be cut.
inline bool cut_one(std::vector<Box>& boxes, Random& random) {
  std::vector<std::pair<std::size_t, int>> places;
  for (std::size_t i = 0; i < boxes.size(); ++i)
    for (int axis = 0; axis < boxes[i].dims(); ++axis)
      if (boxes[i].extent(axis) > 1) places.emplace_back(i, axis);
  if (places.empty()) return false;
  const auto [index, axis] = places[static_cast<std::size_t>(
      draw(random, 0, static_cast<std::int64_t>(places.size()) - 1))];
  Box upper = boxes[index];
  const std::int64_t at = draw(random, upper.lower[axis] + 1, upper.upper[axis] - 1);
  boxes[index].upper[axis] = at;
  upper.lower[axis] = at;
  boxes.push_back(upper);
  return true;
}

/// Returns one box for each rank, by recursive bisection. The assignment to ranks is random, and
/// some boxes may be empty.
inline std::vector<Box> random_boxes(const Shape& shape, std::int64_t ranks, Random& random) {
  std::vector<Box> boxes{Box::whole(shape)};
  const std::int64_t owners = draw(random, 1, ranks);
  while (static_cast<std::int64_t>(boxes.size()) < owners && cut_one(boxes, random)) {
  }
  const Box empty{Shape(shape.size(), 0), Shape(shape.size(), 0)};
  boxes.resize(static_cast<std::size_t>(ranks), empty);
  shuffle(boxes, random);
  return boxes;
}

/// Cuts an axis at random places. Returns at most `most` parts.
inline std::vector<Range> random_parts(std::int64_t extent, std::int64_t most, Random& random) {
  std::vector<std::int64_t> ends{0, extent};
  for (std::int64_t i = draw(random, 1, most); i > 1; --i) ends.push_back(draw(random, 0, extent));
  std::sort(ends.begin(), ends.end());
  ends.erase(std::unique(ends.begin(), ends.end()), ends.end());
  std::vector<Range> parts;
  for (std::size_t i = 1; i < ends.size(); ++i) parts.push_back({ends[i - 1], ends[i]});
  return parts;
}

/// Returns a layout in which all boxes share the same cuts of each axis. The assignment to ranks
/// and the memory order are random. Some ranks may own nothing.
inline Layout random_product_layout(const Shape& shape, std::int64_t ranks, Random& random) {
  std::vector<Box> boxes{{{}, {}}};
  std::int64_t room = ranks;
  for (const std::int64_t extent : shape) {
    const std::vector<Range> parts = random_parts(extent, std::min<std::int64_t>(room, 4), random);
    room /= static_cast<std::int64_t>(parts.size());
    std::vector<Box> products;
    for (const Box& box : boxes)
      for (const Range& part : parts) {
        products.push_back(box);
        products.back().lower.push_back(part.lo);
        products.back().upper.push_back(part.hi);
      }
    boxes = std::move(products);
  }
  const Box empty{Shape(shape.size(), 0), Shape(shape.size(), 0)};
  boxes.resize(static_cast<std::size_t>(ranks), empty);
  shuffle(boxes, random);
  return Layout::of_boxes(shape, boxes, random_order(static_cast<int>(shape.size()), random));
}

/// A layout of any form and memory order: boxes, everything on one rank, or a random process grid.
inline Layout random_layout(const Shape& shape, std::int64_t ranks, Random& random) {
  const std::vector<int> order = random_order(static_cast<int>(shape.size()), random);
  switch (draw(random, 0, 5)) {
    case 0:
    case 1:
      return Layout::of_boxes(shape, random_boxes(shape, ranks, random), order);
    case 2:
      return Layout::on_one(shape, ranks, draw(random, 0, ranks - 1)).with_order(order);
    default:
      break;
  }
  const auto grids = process_grids(ranks, static_cast<int>(shape.size()));
  const auto pick = draw(random, 0, static_cast<std::int64_t>(grids.size()) - 1);
  return Layout::grid(shape, grids[static_cast<std::size_t>(pick)], order);
}

/// Calls visit(offset) for every element of the box. The offset is that in the whole array, in C
/// order.
template <class Visit>
void for_each_element(const Shape& shape, const Box& box, Visit&& visit) {
  if (box.empty()) return;
  Shape index = box.lower;
  while (true) {
    std::int64_t offset = 0;
    for (std::size_t axis = 0; axis < shape.size(); ++axis)
      offset = offset * shape[axis] + index[axis];
    visit(static_cast<std::size_t>(offset));
    int axis = box.dims() - 1;
    while (axis >= 0 && ++index[axis] == box.upper[axis]) {
      index[axis] = box.lower[axis];
      --axis;
    }
    if (axis < 0) return;
  }
}

}  // namespace weft::test_support
