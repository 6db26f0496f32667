#pragma once

#include <cstdint>
#include <vector>

#include "kernel/lines.hpp"
#include "kernel/place.hpp"

namespace weft::kernel {

/// The array in cache that fused axes share: one plane for each batch line of a block.
struct PlaneShape {
  std::vector<int> axes;  ///< from fastest to slowest
  Shape extents;          ///< of these axes, in elements
  Shape strides;          ///< in elements; rows padded
  std::int64_t bytes = 0;
  std::int64_t element_bytes = 0;  ///< of the widest element of these transforms
};
PlaneShape plane_shape(const std::vector<AxisTransform>& transforms, const Place& inlet,
                       const LocalOptions& options);
/// Likewise, with whole lines of elements of one length.
PlaneShape plane_of_elements(const std::vector<AxisTransform>& transforms, const Place& inlet,
                             std::int64_t element_bytes, const LocalOptions& options);

/// Returns the plane of a block as a place: batch axes are outside the plane's axes.
Place plane_place(const PlaneShape& plane, const Box& region, const std::vector<int>& batch_axes,
                  const Shape& widths);

/// The memory of a block in cache.
struct BlockMemory {
  std::int64_t plane_bytes = 0;  ///< for one index of each batch axis; 0: a block needs no plane
  std::int64_t cache_bytes = 0;  ///< of a whole block, approximately
};

/// Returns a quarter of the L2 cache for the blocks of fused axes.
BlockMemory fused_block(std::int64_t plane_bytes);

/// Returns the number of indices of each batch axis in a block.
///
/// Without a plane: everything, divided among threads only. With a plane: along a batch axis that
/// is contiguous in memory, enough for rows of 128 bytes. Then as much as the block's memory holds,
/// or less if some threads would otherwise have no work.
Shape block_widths(const Box& region, const std::vector<int>& batch_axes, const BlockMemory& memory,
                   const Place& inlet, const Place& outlet, const LocalOptions& options);

}  // namespace weft::kernel
