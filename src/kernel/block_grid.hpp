#pragma once

#include <cstdint>
#include <vector>

#include "kernel/tile_pass.hpp"

namespace weft::kernel {

/// The division of a region into blocks. Batch axes are cut into parts of nearly equal width. The
/// other axes are not cut.
class BlockGrid {
 public:
  /// `widths` has the largest number of indices of a block along each of `batch_axes`.
  BlockGrid(const Box& region, const std::vector<int>& batch_axes, const Shape& widths);

  std::int64_t blocks() const { return blocks_; }
  BatchBlock block(std::int64_t number) const;
  /// Returns the largest extent of a block along each batch axis, and 0 for the other axes.
  const Extents& largest() const { return largest_; }

 private:
  std::vector<int> batch_axes_;
  Shape extents_;  ///< by position in batch_axes_
  Shape parts_;
  Extents largest_{};
  std::int64_t blocks_ = 1;
};

/// Returns the axes of a box that none of the transforms uses.
std::vector<int> batch_axes_of(const Box& box, const std::vector<AxisTransform>& transforms);

}  // namespace weft::kernel
