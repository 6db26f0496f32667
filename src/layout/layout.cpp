#include <weft/error.hpp>
#include <weft/layout.hpp>

#include <algorithm>
#include <limits>
#include <numeric>
#include <optional>

#include "base/rounding.hpp"
#include "layout/check.hpp"
#include "layout/parts.hpp"

namespace weft {
namespace {

std::vector<int> c_order(int dims) {
  std::vector<int> order(dims);
  std::iota(order.begin(), order.end(), 0);
  return order;
}

/// Returns the product. Returns nothing if it does not fit in 63 bits.
std::optional<std::int64_t> product_of(const Shape& factors) {
  std::int64_t product = 1;
  for (std::int64_t factor : factors)
    if (__builtin_mul_overflow(product, factor, &product)) return {};
  return product;
}

/// Returns the number of parts of a process grid.
std::int64_t parts_of(const Shape& grid) {
  if (const auto product = product_of(grid)) return *product;
  throw Error(ErrorCode::invalid_argument,
              "the product of the factors of a process grid must fit in 63 bits; given " +
                  to_string(grid) + "; give at most one part for each rank");
}

void check_shape(const Shape& shape) {
  if (shape.empty() || static_cast<int>(shape.size()) > max_dims)
    throw Error(ErrorCode::invalid_argument, "an array has 1 to " + std::to_string(max_dims) +
                                                 " axes; the shape given has " +
                                                 std::to_string(shape.size()));
  for (std::int64_t n : shape)
    if (n < 1)
      throw Error(ErrorCode::invalid_argument,
                  "every extent of a shape must be at least 1; given " + to_string(shape));
  volume(shape);
}

void check_axis(int axis, const Shape& shape) {
  if (axis < 0 || axis >= static_cast<int>(shape.size()))
    throw Error(ErrorCode::invalid_argument,
                "an axis of the shape " + to_string(shape) + " must be in 0.." +
                    std::to_string(static_cast<int>(shape.size()) - 1) + "; given " +
                    std::to_string(axis));
}

std::vector<int> checked_order(const std::vector<int>& order, int dims) {
  if (order.empty()) return c_order(dims);
  std::vector<int> sorted = order;
  std::sort(sorted.begin(), sorted.end());
  if (sorted != c_order(dims))
    throw Error(ErrorCode::invalid_argument,
                "a memory order lists every axis 0.." + std::to_string(dims - 1) +
                    " once, slowest first; given (" + join(order, ", ") + ")");
  return order;
}

Box empty_box(int dims) { return Box{Shape(dims, 0), Shape(dims, 0)}; }

/// Returns all divisors, ascending. Cost: sqrt(n) divisions.
std::vector<std::int64_t> divisors(std::int64_t n) {
  std::vector<std::int64_t> found;
  for (std::int64_t d = 1; d <= n / d; ++d) {
    if (n % d != 0) continue;
    found.push_back(d);
    if (d != n / d) found.push_back(n / d);
  }
  std::sort(found.begin(), found.end());
  return found;
}

/// Appends all grids that begin with `prefix`, followed by `dims` factors with the product `rest`.
/// `factors` are the possible factors, ascending.
void append_grids(std::int64_t rest, int dims, const std::vector<std::int64_t>& factors,
                  Shape& prefix, std::vector<Shape>& grids) {
  if (dims == 1) {
    prefix.push_back(rest);
    grids.push_back(prefix);
    prefix.pop_back();
    return;
  }
  for (std::int64_t factor : factors) {
    if (factor > rest) break;
    if (rest % factor != 0) continue;
    prefix.push_back(factor);
    append_grids(rest / factor, dims - 1, factors, prefix, grids);
    prefix.pop_back();
  }
}

Shape most_even_grid(std::int64_t ranks, int dims) { return process_grids(ranks, dims).front(); }

/// Returns the layout that splits these axes by the most even grid.
Layout layout_split_along(const std::vector<int>& axes, const Shape& shape, std::int64_t ranks) {
  check_shape(shape);
  check_ranks(ranks);
  Shape grid(shape.size(), 1);
  const Shape factors = most_even_grid(ranks, static_cast<int>(axes.size()));
  for (std::size_t i = 0; i < axes.size(); ++i) {
    check_axis(axes[i], shape);
    if (grid[axes[i]] != 1)
      throw Error(ErrorCode::invalid_argument, "the split axes must differ; axis " +
                                                   std::to_string(axes[i]) + " is given twice");
    grid[axes[i]] = factors[i];
  }
  return Layout::grid(shape, grid);
}

}  // namespace

void check_ranks(std::int64_t ranks) {
  // MPI numbers ranks by int.
  constexpr std::int64_t ranks_max = 2147483647;
  if (ranks < 1 || ranks > ranks_max)
    throw Error(ErrorCode::invalid_argument, "the number of ranks must be at least 1 and at most " +
                                                 std::to_string(ranks_max) + "; given " +
                                                 std::to_string(ranks));
}

void check_ranks_to_plan(std::int64_t ranks) {
  check_ranks(ranks);
  constexpr std::int64_t planned_max = std::int64_t{1} << 20;
  if (ranks > planned_max)
    throw Error(ErrorCode::invalid_argument, "the number of ranks of a plan must be at most " +
                                                 std::to_string(planned_max) + "; given " +
                                                 std::to_string(ranks) +
                                                 "; use fewer ranks with more threads each");
}

std::int64_t volume(const Shape& shape) {
  if (const auto product = product_of(shape)) return *product;
  throw Error(
      ErrorCode::invalid_argument,
      "the number of elements must fit in 63 bits; the shape " + to_string(shape) + " has more");
}

std::string to_string(const Shape& shape) { return join(shape, "x"); }

Range balanced_part(std::int64_t n, std::int64_t part, std::int64_t parts) {
  // Plans of many ranks often need this case, so it must be fast.
  if (parts == 1) return {0, n};
  // Divisions of 128 bits are slow, and few arrays need them.
  const bool product_fits_in_64_bits = (n | parts) <= std::numeric_limits<std::int32_t>::max();
  auto bound = [&](std::int64_t k) {
    return product_fits_in_64_bits ? n * k / parts
                                   : static_cast<std::int64_t>(static_cast<Wide>(n) * k / parts);
  };
  return {bound(part), bound(part + 1)};
}

Box Box::whole(const Shape& shape) { return Box{Shape(shape.size(), 0), shape}; }

Shape Box::shape() const {
  Shape extents(lower.size());
  for (int axis = 0; axis < dims(); ++axis) extents[axis] = extent(axis);
  return extents;
}

std::int64_t Box::volume() const {
  std::int64_t product = 1;
  for (int axis = 0; axis < dims(); ++axis) product *= extent(axis);
  return product;
}

bool Box::empty() const {
  for (int axis = 0; axis < dims(); ++axis)
    if (extent(axis) <= 0) return true;
  return false;
}

Box intersect(const Box& a, const Box& b) {
  Box common = a;
  for (int axis = 0; axis < a.dims(); ++axis) {
    common.lower[axis] = std::max(a.lower[axis], b.lower[axis]);
    common.upper[axis] = std::min(a.upper[axis], b.upper[axis]);
    if (common.extent(axis) <= 0) return empty_box(a.dims());
  }
  return common;
}

std::string to_string(const Box& box) {
  std::string text = "[";
  for (int axis = 0; axis < box.dims(); ++axis) {
    if (axis) text += ", ";
    text += std::to_string(box.lower[axis]) + ":" + std::to_string(box.upper[axis]);
  }
  return text + "]";
}

Layout Layout::grid(const Shape& shape, const Shape& grid, const std::vector<int>& order,
                    std::int64_t ranks) {
  check_shape(shape);
  if (grid.size() != shape.size())
    throw Error(ErrorCode::invalid_argument, "a process grid has one factor for each of the " +
                                                 std::to_string(shape.size()) + " axes; given " +
                                                 to_string(grid));
  for (std::int64_t factor : grid)
    if (factor < 1)
      throw Error(ErrorCode::invalid_argument,
                  "every factor of a process grid must be at least 1; given " + to_string(grid));
  Layout layout;
  layout.shape_ = shape;
  layout.grid_ = grid;
  layout.order_ = checked_order(order, static_cast<int>(shape.size()));
  layout.parts_ = parts_of(grid);
  layout.ranks_ = ranks == 0 ? layout.parts_ : ranks;
  check_ranks(layout.ranks_);
  if (layout.ranks_ < layout.parts_)
    throw Error(ErrorCode::invalid_argument,
                "the product of a process grid must not exceed the number of ranks; the grid " +
                    to_string(grid) + " needs " + std::to_string(layout.parts_) +
                    " ranks; there are " + std::to_string(ranks));
  return layout;
}

Layout Layout::slab(const Shape& shape, std::int64_t ranks, int axis) {
  return layout_split_along({axis}, shape, ranks);
}

Layout Layout::pencil(const Shape& shape, std::int64_t ranks, int first_axis, int second_axis) {
  return layout_split_along({first_axis, second_axis}, shape, ranks);
}

Layout Layout::brick(const Shape& shape, std::int64_t ranks) {
  if (shape.size() < 3)
    throw Error(ErrorCode::invalid_argument,
                "a brick splits three axes; the shape " + to_string(shape) + " has " +
                    std::to_string(shape.size()) + "; use a slab or a pencil");
  return layout_split_along({0, 1, 2}, shape, ranks);
}

Layout Layout::on_one(const Shape& shape, std::int64_t ranks, std::int64_t owner) {
  check_ranks(ranks);
  if (owner < 0 || owner >= ranks)
    throw Error(ErrorCode::invalid_argument, "the owner must be a rank in 0.." +
                                                 std::to_string(ranks - 1) + "; given " +
                                                 std::to_string(owner));
  Layout layout = grid(shape, Shape(shape.size(), 1), {}, ranks);
  layout.first_rank_ = owner;
  return layout;
}

Layout Layout::of_boxes(const Shape& shape, std::vector<Box> boxes, const std::vector<int>& order) {
  check_shape(shape);
  check_ranks(static_cast<std::int64_t>(boxes.size()));
  for (Box& box : boxes) {
    check_box(box, shape);
    if (box.empty()) box = empty_box(static_cast<int>(shape.size()));
  }
  check_tiling(shape, boxes);
  Layout layout;
  layout.shape_ = shape;
  layout.ranks_ = static_cast<std::int64_t>(boxes.size());
  layout.boxes_ = std::move(boxes);
  layout.order_ = checked_order(order, static_cast<int>(shape.size()));
  return layout;
}

Box Layout::box(std::int64_t rank) const {
  if (rank < 0 || rank >= ranks_)
    throw Error(ErrorCode::invalid_argument, "a rank must be in 0.." + std::to_string(ranks_ - 1) +
                                                 "; given " + std::to_string(rank));
  if (!is_grid()) return boxes_[rank];
  std::int64_t index = rank - first_rank_;  // position in the process grid
  if (index < 0 || index >= parts_) return with_whole_components(empty_box(dims()));
  // Plans of many ranks often call this function, so it allocates only the result.
  Box box = empty_box(dims());
  bool is_empty = false;
  for (int axis = dims() - 1; axis >= 0; --axis) {
    const Range part = balanced_part(shape_[axis], index % grid_[axis], grid_[axis]);
    index /= grid_[axis];
    box.lower[axis] = part.lo;
    box.upper[axis] = part.hi;
    is_empty = is_empty || part.size() == 0;
  }
  if (is_empty)
    for (Shape* bound : {&box.lower, &box.upper}) std::fill(bound->begin(), bound->end(), 0);
  return with_whole_components(std::move(box));
}

Box Layout::with_whole_components(Box box) const {
  if (components_ > 0) box.upper[0] = components_;
  return box;
}

Shape dense_strides(const Shape& shape, const std::vector<int>& order) {
  Shape strides(shape.size());
  std::int64_t step = 1;
  for (auto axis = order.rbegin(); axis != order.rend(); ++axis) {
    strides[*axis] = step;
    step *= shape[*axis];
  }
  return strides;
}

Shape Layout::strides(std::int64_t rank) const { return dense_strides(local_shape(rank), order_); }

std::int64_t Layout::max_local_volume() const {
  if (!is_grid()) {
    std::int64_t largest = 0;
    for (const Box& box : boxes_) largest = std::max(largest, box.volume());
    return largest;
  }
  std::int64_t product = 1;
  for (int axis = 0; axis < dims(); ++axis) product *= divided_up(shape_[axis], grid_[axis]);
  return product;
}

bool Layout::is_whole(int axis) const {
  check_axis(axis, shape_);
  if (is_grid()) return grid_[axis] == 1 || shape_[axis] == 1;
  return std::all_of(boxes_.begin(), boxes_.end(), [&](const Box& box) {
    return box.empty() || box.extent(axis) == shape_[axis];
  });
}

std::int64_t Layout::empty_ranks() const {
  if (!is_grid())
    return std::count_if(boxes_.begin(), boxes_.end(), [](const Box& box) { return box.empty(); });
  std::int64_t parts_with_data = 1;
  for (int axis = 0; axis < dims(); ++axis) parts_with_data *= std::min(grid_[axis], shape_[axis]);
  return ranks_ - parts_with_data;
}

Layout Layout::with_extent(int axis, std::int64_t extent) const {
  if (axis == 0 && components_ > 0) {
    Layout layout = of_one_component().with_components(extent);
    return layout.with_order(order_);
  }
  if (!is_whole(axis))
    throw Error(ErrorCode::layout_mismatch,
                "an axis whose extent changes must be whole on every rank; axis " +
                    std::to_string(axis) + " is split in " + describe());
  Layout layout = *this;
  layout.shape_[axis] = extent;
  check_shape(layout.shape_);
  // An axis of extent 1 counts as whole even if the grid splits it. The ranks that own its only row
  // must then own all rows of the new extent.
  if (is_grid() && grid_[axis] != 1) {
    std::vector<Box> boxes;
    for (std::int64_t rank = 0; rank < ranks_; ++rank) boxes.push_back(box(rank));
    for (Box& box : boxes)
      if (!box.empty()) box.upper[axis] = extent;
    return of_boxes(layout.shape_, std::move(boxes), order_);
  }
  for (Box& box : layout.boxes_)
    if (!box.empty()) box.upper[axis] = extent;
  return layout;
}

Layout Layout::with_order(const std::vector<int>& order) const {
  Layout layout = *this;
  layout.order_ = checked_order(order, dims());
  return layout;
}

Layout Layout::with_components(std::int64_t count) const {
  if (count < 1)
    throw Error(ErrorCode::invalid_argument,
                "the number of components must be at least 1; given " + std::to_string(count));
  if (components_ > 0)
    throw Error(ErrorCode::invalid_argument,
                "a layout has one axis of components; the layout given has one already, of " +
                    std::to_string(components_) + "; give that of one component");
  if (dims() >= max_dims)
    throw Error(ErrorCode::invalid_argument,
                "an array with components has at most " + std::to_string(max_dims) +
                    " axes, theirs included; given a layout of " + to_string(shape_));
  Layout layout = *this;
  layout.components_ = count;
  layout.shape_.insert(layout.shape_.begin(), count);
  check_shape(layout.shape_);
  if (is_grid()) layout.grid_.insert(layout.grid_.begin(), 1);
  for (Box& box : layout.boxes_) {
    box.lower.insert(box.lower.begin(), 0);
    box.upper.insert(box.upper.begin(), count);
  }
  for (int& axis : layout.order_) ++axis;
  layout.order_.insert(layout.order_.begin(), 0);
  return layout;
}

Layout Layout::of_one_component() const {
  if (components_ == 0) return *this;
  Layout layout = *this;
  layout.components_ = 0;
  layout.shape_.erase(layout.shape_.begin());
  if (is_grid()) layout.grid_.erase(layout.grid_.begin());
  for (Box& box : layout.boxes_) {
    box.lower.erase(box.lower.begin());
    box.upper.erase(box.upper.begin());
  }
  std::erase(layout.order_, 0);
  for (int& axis : layout.order_) --axis;
  return layout;
}

bool Layout::same_boxes(const Layout& other) const {
  if (shape_ != other.shape_ || ranks_ != other.ranks_) return false;
  if (is_grid() && other.is_grid() && grid_ == other.grid_ && first_rank_ == other.first_rank_)
    return true;
  for (std::int64_t rank = 0; rank < ranks_; ++rank)
    if (!(box(rank) == other.box(rank))) return false;
  return true;
}

std::vector<std::int64_t> Layout::ranks_meeting(const Box& box) const {
  check_dims(box, shape_);
  std::vector<std::int64_t> found;
  const Box wanted = intersect(box, Box::whole(shape_));
  if (wanted.empty()) return found;
  if (!is_grid()) {
    for (std::int64_t rank = 0; rank < ranks_; ++rank)
      if (meet(boxes_[rank], wanted)) found.push_back(rank);
    return found;
  }
  found.push_back(0);
  for (int axis = 0; axis < dims(); ++axis) {
    const Range parts =
        parts_meeting(shape_[axis], grid_[axis], {wanted.lower[axis], wanted.upper[axis]});
    const bool no_part_is_empty = grid_[axis] <= shape_[axis];
    std::vector<std::int64_t> longer;  // positions in the grid of axes 0..axis
    longer.reserve(found.size() * static_cast<std::size_t>(parts.size()));
    for (std::int64_t prefix : found)
      for (std::int64_t part = parts.lo; part < parts.hi; ++part)
        if (no_part_is_empty || balanced_part(shape_[axis], part, grid_[axis]).size() > 0)
          longer.push_back(prefix * grid_[axis] + part);
    found = std::move(longer);
  }
  for (std::int64_t& rank : found) rank += first_rank_;
  return found;
}

std::string Layout::family() const {
  if (!is_grid()) return "boxes";
  const auto split_axes = std::count_if(grid_.begin(), grid_.end(), [](auto n) { return n > 1; });
  switch (split_axes) {
    case 0:
      return "whole";
    case 1:
      return "slab";
    case 2:
      return "pencil";
    case 3:
      return "brick";
    default:
      return "grid";
  }
}

std::string Layout::describe() const {
  std::string text = to_string(shape_) + " as " + family();
  if (is_grid()) {
    text += family() == "whole"
                ? " on rank " + std::to_string(first_rank_) + " of " + std::to_string(ranks_)
                : ", grid " + to_string(grid_);
  } else {
    text += ", " + std::to_string(ranks_) + " of them";
  }
  if (order_ != c_order(dims())) text += ", memory order (" + join(order_, ", ") + ")";
  if (const std::int64_t idle = empty_ranks(); idle > 0 && family() != "whole")
    text += ", " + std::to_string(idle) + " empty";
  return text;
}

std::vector<Shape> process_grids(std::int64_t ranks, int dims) {
  check_ranks(ranks);
  if (dims < 1 || dims > max_dims)
    throw Error(ErrorCode::invalid_argument, "a process grid has 1 to " + std::to_string(max_dims) +
                                                 " factors; given " + std::to_string(dims));
  std::vector<Shape> grids;
  Shape prefix;
  append_grids(ranks, dims, divisors(ranks), prefix, grids);
  std::stable_sort(grids.begin(), grids.end(), [](const Shape& a, const Shape& b) {
    const std::int64_t largest_a = *std::max_element(a.begin(), a.end());
    const std::int64_t largest_b = *std::max_element(b.begin(), b.end());
    return largest_a != largest_b ? largest_a < largest_b : a < b;
  });
  return grids;
}

}  // namespace weft
