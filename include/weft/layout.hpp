#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace weft {

/// Extents or indices along the axes of an array, in logical axis order.
using Shape = std::vector<std::int64_t>;

/// Arrays have 1 to max_dims axes.
inline constexpr int max_dims = 8;

/// Product of all extents. Throws invalid_argument if it does not fit in 63 bits.
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

/// Divides n indices into `parts` parts whose sizes differ by at most 1. Returns one part:
/// [n*part/parts, n*(part+1)/parts), rounded down.
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

/// Returns the common part of two boxes. If they have none, returns an empty box (all extents 0).
Box intersect(const Box& a, const Box& b);

/// "[0:4, 0:8, 2:6]"
std::string to_string(const Box& box);

/// The assignment of a box of the global array to each rank, with the memory order of each box.
///
/// A layout is a process grid, or the user's boxes, one for each rank. A process grid is cheap to
/// copy, and computes the box of a rank by arithmetic. Layouts can be compared.
class Layout {
 public:
  Layout() = default;

  /// Splits axis a of `shape` into grid[a] balanced parts. Ranks number the positions of the grid
  /// with its last axis fastest. `order` lists the axes from slowest to fastest in memory; empty
  /// means logical (C) order. `ranks` may exceed the product of the grid: the last ranks then own
  /// nothing. If `ranks` is 0, the number of ranks is the product.
  static Layout grid(const Shape& shape, const Shape& grid, const std::vector<int>& order = {},
                     std::int64_t ranks = 0);

  /// Splits one axis over all ranks.
  static Layout slab(const Shape& shape, std::int64_t ranks, int axis = 0);

  /// Splits two axes over the most square grid of `ranks`; the smaller factor is on the first axis.
  static Layout pencil(const Shape& shape, std::int64_t ranks, int first_axis = 0,
                       int second_axis = 1);

  /// Splits three axes over a process grid as cubic as `ranks` allows.
  static Layout brick(const Shape& shape, std::int64_t ranks);

  /// Puts the whole array on one rank.
  static Layout on_one(const Shape& shape, std::int64_t ranks, std::int64_t owner = 0);

  /// Takes one box per rank, in rank order. Boxes may be empty. Together they must cover the array,
  /// without overlaps.
  static Layout of_boxes(const Shape& shape, std::vector<Box> boxes,
                         const std::vector<int>& order = {});

  const Shape& shape() const { return shape_; }
  int dims() const { return static_cast<int>(shape_.size()); }
  std::int64_t ranks() const { return ranks_; }
  /// Axes from slowest to fastest in memory.
  const std::vector<int>& order() const { return order_; }
  /// The process grid, one factor per axis; empty if the layout was given as boxes.
  const Shape& process_grid() const { return grid_; }
  /// The user's boxes; empty if the layout is a process grid.
  const std::vector<Box>& boxes() const { return boxes_; }
  bool is_grid() const { return !grid_.empty(); }
  /// The rank at position 0 of the process grid. The ranks of the other positions follow.
  std::int64_t first_rank() const { return first_rank_; }
  /// The extent of a leading axis of components, which every rank holds whole; 0: no such axis.
  std::int64_t components() const { return components_; }

  /// The box of any rank. An empty box has extent 0 on all axes but that of the components.
  Box box(std::int64_t rank) const;
  Shape local_shape(std::int64_t rank) const { return box(rank).shape(); }
  /// Strides in elements of a rank's dense local array, in logical axis order.
  Shape strides(std::int64_t rank) const;
  /// Elements of a rank's box.
  std::int64_t local_volume(std::int64_t rank) const { return box(rank).volume(); }
  /// Largest local volume of all ranks.
  std::int64_t max_local_volume() const;

  /// Returns whether every rank with data holds the whole of this axis.
  bool is_whole(int axis) const;
  /// Number of ranks that own nothing.
  std::int64_t empty_ranks() const;

  /// Returns a layout with another extent of `axis`, and the same parts of the other axes. Every
  /// rank must hold the whole of `axis`.
  Layout with_extent(int axis, std::int64_t extent) const;
  /// Returns the layout with the same boxes in another memory order.
  Layout with_order(const std::vector<int>& order) const;

  /// Returns the layout of several arrays of this layout, one after the other in memory. The result
  /// has a leading axis of extent `count`, which every rank holds whole. Throws invalid_argument if
  /// this layout has such an axis already, or max_dims axes.
  Layout with_components(std::int64_t count) const;
  /// Returns the layout of one component.
  Layout of_one_component() const;

  /// Returns whether every rank has the same box in both layouts. Each layout may be a process grid
  /// or boxes, in any memory order.
  bool same_boxes(const Layout& other) const;

  /// Returns the ranks with a box that overlaps `box`, in rank order.
  std::vector<std::int64_t> ranks_meeting(const Box& box) const;

  /// "slab", "pencil", "brick", "grid" (4 or more split axes), "whole" (1 rank has all), "boxes".
  std::string family() const;
  /// Returns one line: shape, family, grid or number of boxes, empty ranks, and the memory order if
  /// it is not C order.
  std::string describe() const;

  friend bool operator==(const Layout&, const Layout&) = default;

 private:
  Box with_whole_components(Box box) const;

  Shape shape_;
  std::int64_t ranks_ = 0;
  Shape grid_;
  std::int64_t parts_ = 0;  ///< the product of grid_; 0 for a layout of boxes
  std::vector<Box> boxes_;
  std::vector<int> order_;
  std::int64_t first_rank_ = 0;
  std::int64_t components_ = 0;
};

/// Returns all grids of `dims` factors with the product `ranks`, the most even grid first. They are
/// ordered by their largest factor. Grids with the same largest factor are in ascending order.
std::vector<Shape> process_grids(std::int64_t ranks, int dims);

/// Strides in elements of a dense array of `shape` with `order` from slowest to fastest.
Shape dense_strides(const Shape& shape, const std::vector<int>& order);

}  // namespace weft
