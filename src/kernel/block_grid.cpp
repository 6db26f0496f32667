#include "kernel/block_grid.hpp"

#include <algorithm>

#include "base/rounding.hpp"

namespace weft::kernel {

BlockGrid::BlockGrid(const Box& region, const std::vector<int>& batch_axes, const Shape& widths)
    : batch_axes_(batch_axes) {
  for (std::size_t i = 0; i < batch_axes.size(); ++i) {
    const std::int64_t extent = region.extent(batch_axes[i]);
    extents_.push_back(extent);
    parts_.push_back(divided_up(extent, widths[i]));
    blocks_ *= parts_.back();
    largest_[static_cast<std::size_t>(batch_axes[i])] = widths[i];
  }
}

BatchBlock BlockGrid::block(std::int64_t number) const {
  BatchBlock block;
  for (std::size_t i = batch_axes_.size(); i-- > 0;) {
    const Range range = balanced_part(extents_[i], number % parts_[i], parts_[i]);
    number /= parts_[i];
    const auto axis = static_cast<std::size_t>(batch_axes_[i]);
    block.offset[axis] = range.lo;
    block.extent[axis] = range.size();
  }
  return block;
}

std::vector<int> batch_axes_of(const Box& box, const std::vector<AxisTransform>& transforms) {
  std::vector<int> axes;
  for (int axis = 0; axis < box.dims(); ++axis)
    if (std::none_of(transforms.begin(), transforms.end(),
                     [&](const AxisTransform& t) { return t.axis == axis; }))
      axes.push_back(axis);
  return axes;
}

}  // namespace weft::kernel
