#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace weft {

/// Extents or indices along the axes of an array, in logical axis order.
using Shape = std::vector<std::int64_t>;

/// Arrays have 1 to max_dims axes.
inline constexpr int max_dims = 8;

/// Product of all extents. Throws invalid_argument when it does not fit in 63 bits.
std::int64_t volume(const Shape& shape);

/// "512x512x512"
std::string to_string(const Shape& shape);

/// The half-open range [lo, hi).
struct Range {
  std::int64_t lo = 0;
  std::int64_t hi = 0;
  std::int64_t size() const { return hi - lo; }
  friend bool operator==(const Range&, const Range&) = default;
};

/// What part r of p owns of n indices: [n*r/p, n*(r+1)/p), rounded down. Sizes differ by at most 1.
Range balanced_part(std::int64_t n, std::int64_t part, std::int64_t parts);

/// A half-open box of the global array, in logical axis order: lower[a] <= index[a] < upper[a].
struct Box {
  Shape lower;
  Shape upper;

  /// The box of the whole array.
  static Box whole(const Shape& shape);

  int dims() const { return static_cast<int>(lower.size()); }
  std::int64_t extent(int axis) const { return upper[axis] - lower[axis]; }
  Shape shape() const;
  std::int64_t volume() const;
  bool empty() const;
  friend bool operator==(const Box&, const Box&) = default;
};

/// The common part of two boxes; where there is none, an empty box (all extents 0).
Box intersect(const Box& a, const Box& b);

/// "[0:4, 0:8, 2:6]"
std::string to_string(const Box& box);

/// Who owns which box of a global array, and in which memory order each box lies.
///
/// A value: comparable, cheap to copy while symbolic, pure arithmetic on (rank, ranks).
/// Two forms: a process grid (symbolic), or one box a rank given by the user.
class Layout {
 public:
  Layout() = default;

  /// Splits axis a of `shape` into grid[a] balanced parts; rank numbers run over the grid with its
  /// last axis fastest. `order` lists the axes from slowest to fastest in memory; empty means
  /// logical (C) order. `ranks` (0: the product of the grid) may exceed the product: the ranks
  /// beyond it own nothing.
  static Layout grid(const Shape& shape, const Shape& grid, const std::vector<int>& order = {},
                     std::int64_t ranks = 0);

  /// One axis split over all ranks.
  static Layout slab(const Shape& shape, std::int64_t ranks, int axis = 0);

  /// Two axes split over the most square grid of `ranks`; the smaller factor on the first axis.
  static Layout pencil(const Shape& shape, std::int64_t ranks, int first_axis = 0,
                       int second_axis = 1);

  /// Three axes split over a process grid as cubic as `ranks` allows.
  static Layout brick(const Shape& shape, std::int64_t ranks);

  /// Everything on one rank, nothing on the others.
  static Layout on_one(const Shape& shape, std::int64_t ranks, std::int64_t owner = 0);

  /// One box a rank, in rank order; boxes may be empty, must not overlap and must leave no hole.
  static Layout of_boxes(const Shape& shape, std::vector<Box> boxes,
                         const std::vector<int>& order = {});

  const Shape& shape() const { return shape_; }
  int dims() const { return static_cast<int>(shape_.size()); }
  std::int64_t ranks() const { return ranks_; }
  /// Axes from slowest to fastest in memory.
  const std::vector<int>& order() const { return order_; }
  /// The process grid, one factor an axis; empty when the layout was given as boxes.
  const Shape& process_grid() const { return grid_; }
  /// The user's boxes; empty when the layout is a process grid.
  const std::vector<Box>& boxes() const { return boxes_; }
  bool is_grid() const { return !grid_.empty(); }
  /// The rank at position 0 of the process grid; the others follow.
  std::int64_t first_rank() const { return first_rank_; }

  /// The box of any rank; an empty box has all extents 0.
  Box box(std::int64_t rank) const;
  Shape local_shape(std::int64_t rank) const { return box(rank).shape(); }
  /// Strides in elements of a rank's dense local array, in logical axis order.
  Shape strides(std::int64_t rank) const;
  /// Elements of a rank's box.
  std::int64_t local_volume(std::int64_t rank) const { return box(rank).volume(); }
  /// Largest local volume of all ranks.
  std::int64_t max_local_volume() const;

  /// True when no rank holds only a part of this axis (ranks with empty boxes do not count).
  bool is_whole(int axis) const;
  /// Number of ranks that own nothing.
  std::int64_t empty_ranks() const;

  /// The same ownership for an array that is longer or shorter along `axis`, which must be whole.
  Layout with_extent(int axis, std::int64_t extent) const;
  /// The same ownership in another memory order.
  Layout with_order(const std::vector<int>& order) const;

  /// True when both give every rank the same box, whatever the form and the memory order.
  bool same_boxes(const Layout& other) const;

  /// Ranks whose boxes meet `box`, in rank order.
  std::vector<std::int64_t> ranks_meeting(const Box& box) const;

  /// "slab", "pencil", "brick", "grid" (4 or more split axes), "whole" (1 rank has all), "boxes".
  std::string family() const;
  /// One line: family, grid or number of boxes, memory order where it is not C order.
  std::string describe() const;

  friend bool operator==(const Layout&, const Layout&) = default;

 private:
  Shape shape_;
  std::int64_t ranks_ = 0;
  Shape grid_;
  std::vector<Box> boxes_;
  std::vector<int> order_;
  std::int64_t first_rank_ = 0;
};

/// All grids of `dims` factors whose product is `ranks`, the most even first (smallest largest
/// factor, then ascending factors).
std::vector<Shape> process_grids(std::int64_t ranks, int dims);

/// Strides in elements of a dense array of `shape` with `order` from slowest to fastest.
Shape dense_strides(const Shape& shape, const std::vector<int>& order);

}  // namespace weft
