#include "kernel/block_shape.hpp"

#include <algorithm>

#include "base/block_limits.hpp"
#include "base/rounding.hpp"
#include "kernel/cache.hpp"

namespace weft::kernel {
namespace {

/// Number of blocks for each thread. With several blocks, differences between blocks average out.
constexpr std::int64_t blocks_a_thread = 4;

/// Returns the padded length of a row. Rows of the plane are an odd number of cache lines, so that
/// columns do not share one cache set.
std::int64_t padded_row(std::int64_t elements, std::int64_t element_bytes) {
  const std::int64_t cache_line = line_alignment_bytes;
  const std::int64_t cache_lines = divided_up(elements * element_bytes, cache_line);
  return (cache_lines | 1) * cache_line / element_bytes;
}

std::int64_t complex_extent(const AxisTransform& t) {
  return t.kind.is_halved() ? t.length / 2 + 1 : t.length;
}

/// Returns the bytes of the widest element before or after the transforms.
std::int64_t element_bytes_of(const std::vector<AxisTransform>& transforms, Precision precision) {
  std::int64_t widest = 0;
  for (const AxisTransform& t : transforms)
    widest = std::max(widest, widest_element_bytes(t, precision));
  return widest;
}

std::int64_t smallest_stride(int axis, const Place& inlet, const Place& outlet) {
  return std::min(inlet.pieces[0].strides[axis], outlet.pieces[0].strides[axis]);
}

/// Returns the elements of a row of a block's planes: the indices of the row axis, or one.
std::int64_t row_elements(const PlaneShape& plane, const std::vector<int>& batch_axes,
                          const Shape& widths) {
  for (std::size_t i = 0; i < batch_axes.size(); ++i)
    if (batch_axes[i] == plane.row_axis) return padded_row(widths[i], plane.element_bytes);
  return 1;
}

/// Divides one axis among the threads: the outermost that is long enough, otherwise the longest.
void divide_among_threads(Shape& widths, const std::vector<std::size_t>& by_stride, int threads) {
  if (threads == 1 || by_stride.empty()) return;
  const std::int64_t wanted = blocks_a_thread * threads;
  std::size_t best = by_stride.back();
  for (std::size_t i : by_stride)
    if (widths[i] >= wanted || widths[i] > widths[best]) best = i;
  widths[best] = std::max<std::int64_t>(1, divided_up(widths[best], wanted));
}

}  // namespace

PlaneShape plane_shape(const std::vector<AxisTransform>& transforms, const Place& inlet,
                       const LocalOptions& options) {
  return plane_of_elements(transforms, inlet, element_bytes_of(transforms, options.precision),
                           options);
}

PlaneShape plane_of_elements(const std::vector<AxisTransform>& transforms, const Place& inlet,
                             std::int64_t element_bytes, const LocalOptions& options,
                             int row_axis) {
  PlaneShape plane;
  plane.row_axis = row_axis;
  plane.element_bytes = element_bytes;
  std::vector<AxisTransform> by_stride = transforms;
  const Shape& strides = inlet.pieces[0].strides;
  std::stable_sort(by_stride.begin(), by_stride.end(),
                   [&](const auto& a, const auto& b) { return strides[a.axis] < strides[b.axis]; });
  const bool are_complex = element_bytes == complex_bytes(options.precision);
  std::int64_t step = 1;
  for (const AxisTransform& t : by_stride) {
    plane.axes.push_back(t.axis);
    plane.extents.push_back(are_complex ? complex_extent(t) : t.length);
    plane.strides.push_back(step);
    // Only the rows along the fastest axis are padded.
    step = step == 1 && row_axis < 0 ? padded_row(plane.extents.back(), element_bytes)
                                     : step * plane.extents.back();
  }
  plane.bytes = step * element_bytes;
  return plane;
}

Place plane_place(const PlaneShape& plane, const Box& region, const std::vector<int>& batch_axes,
                  const Shape& widths) {
  const std::int64_t element_bytes = plane.element_bytes;
  const std::int64_t row = row_elements(plane, batch_axes, widths);
  Piece piece{region, scratch_buffer, 0, Shape(region.dims(), 0)};
  for (std::size_t i = 0; i < plane.axes.size(); ++i) {
    piece.box.lower[plane.axes[i]] = 0;
    piece.box.upper[plane.axes[i]] = plane.extents[i];
    piece.strides[plane.axes[i]] = row * plane.strides[i];
  }
  std::int64_t step = row * (plane.bytes / element_bytes);
  for (std::size_t i = batch_axes.size(); i-- > 0;) {
    const bool is_row = batch_axes[i] == plane.row_axis;
    piece.strides[batch_axes[i]] = is_row ? 1 : step;
    if (!is_row) step *= widths[i];
  }
  return {{piece}, element_bytes};
}

std::int64_t planes_bytes(const PlaneShape& plane, const std::vector<int>& batch_axes,
                          const Shape& widths) {
  std::int64_t bytes = plane.bytes * row_elements(plane, batch_axes, widths);
  for (std::size_t i = 0; i < batch_axes.size(); ++i)
    if (batch_axes[i] != plane.row_axis) bytes *= widths[i];
  return bytes;
}

BlockMemory fused_block_memory(std::int64_t plane_bytes) {
  return {plane_bytes, cache_sizes().l2_bytes / 4};
}

Shape block_widths(const Box& region, const std::vector<int>& batch_axes, const BlockMemory& memory,
                   const Place& inlet, const Place& outlet, const LocalOptions& options) {
  Shape widths;
  std::vector<std::size_t> by_stride;
  for (std::size_t i = 0; i < batch_axes.size(); ++i) {
    widths.push_back(region.extent(batch_axes[i]));
    by_stride.push_back(i);
  }
  auto stride = [&](std::size_t i) { return smallest_stride(batch_axes[i], inlet, outlet); };
  std::stable_sort(by_stride.begin(), by_stride.end(),
                   [&](auto a, auto b) { return stride(a) < stride(b); });
  if (memory.plane_bytes == 0) {
    divide_among_threads(widths, by_stride, options.threads);
    return widths;
  }
  const Shape extents = widths;
  const auto at_least = [&](std::size_t i, std::int64_t width) {
    const bool contiguous = stride(i) == 1 && extents[i] > 1;
    const std::int64_t least = contiguous ? least_row_bytes / complex_bytes(options.precision) : 1;
    return std::min(widths[i], std::max(least, width));
  };
  std::int64_t room = std::max<std::int64_t>(1, memory.cache_bytes / memory.plane_bytes);
  for (std::size_t i : by_stride) {
    widths[i] = at_least(i, room);
    // If a block has only a part of an axis, it has one index of each slower axis, or as few as
    // possible.
    room = widths[i] < extents[i] ? 1 : std::max<std::int64_t>(1, room / widths[i]);
  }
  // If everything fits in the cache, the outermost axes are divided among the threads.
  const auto parts = [&](std::size_t i) { return divided_up(extents[i], widths[i]); };
  std::int64_t blocks = 1;
  for (std::size_t i : by_stride) blocks *= parts(i);
  const std::int64_t wanted = options.threads == 1 ? 1 : blocks_a_thread * options.threads;
  for (auto i = by_stride.rbegin(); i != by_stride.rend() && blocks < wanted; ++i) {
    blocks /= parts(*i);
    widths[*i] = at_least(*i, divided_up(extents[*i], divided_up(wanted, blocks)));
    blocks *= parts(*i);
  }
  return widths;
}

std::size_t fusable(const Box& box, const std::vector<AxisTransform>& transforms, std::size_t first,
                    const Place& inlet, const LocalOptions& options, std::int64_t fields) {
  const std::int64_t limit = cache_sizes().core_bytes();
  const std::int64_t planes_a_row = least_row_bytes / complex_bytes(options.precision);
  std::int64_t planes = box.volume() / box.extent(transforms[first].axis);
  std::size_t count = 1;
  for (; first + count < transforms.size(); ++count) {
    const std::vector<AxisTransform> group(transforms.begin() + first,
                                           transforms.begin() + first + count + 1);
    std::int64_t bytes = fields * plane_shape(group, inlet, options).bytes;
    const Shape& strides = inlet.pieces[0].strides;
    const bool contiguous_batch = std::none_of(group.begin(), group.end(),
                                               [&](const auto& t) { return strides[t.axis] == 1; });
    planes /= box.extent(group.back().axis);
    const std::int64_t blocks = contiguous_batch ? planes / planes_a_row : planes;
    if (contiguous_batch) bytes *= planes_a_row;
    if (bytes > limit) break;
    // With fewer blocks, some threads would have no work.
    if (options.threads > 1 && blocks < fewest_blocks_a_thread * options.threads) break;
  }
  return count;
}

}  // namespace weft::kernel
