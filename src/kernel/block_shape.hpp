#pragma once

#include <cstdint>
#include <vector>

#include "kernel/lines.hpp"
#include "kernel/place.hpp"

namespace weft::kernel {

/// The plane of fused axes in cache. Fused axes are transformed in the same sweep (see Sweep). A
/// block has one plane for each combination of its batch indices.
struct PlaneShape {
  std::vector<int> axes;  ///< from fastest to slowest
  Shape extents;          ///< of these axes, in elements
  Shape strides;          ///< in elements; rows padded
  std::int64_t bytes = 0;
  std::int64_t element_bytes = 0;  ///< of the widest element of these transforms
  /// A batch axis whose indices are adjacent in memory. Strides and bytes of the plane are then
  /// those of a plane for a single index of this axis. -1: a plane is contiguous.
  int row_axis = -1;
};
PlaneShape plane_shape(const std::vector<AxisTransform>& transforms, const Place& inlet,
                       const LocalOptions& options);
/// Returns the plane for elements of `element_bytes`. Its extents are those of whole lines, even if
/// the array has fewer points or modes. `row_axis`: see PlaneShape.
PlaneShape plane_of_elements(const std::vector<AxisTransform>& transforms, const Place& inlet,
                             std::int64_t element_bytes, const LocalOptions& options,
                             int row_axis = -1);

/// Returns the planes of a block as a place. `widths` are those of the block, from block_widths().
/// Batch axes are slower in memory than the plane's axes, except the plane's row axis.
Place plane_place(const PlaneShape& plane, const Box& region, const std::vector<int>& batch_axes,
                  const Shape& widths);
/// Returns the bytes of the place that plane_place() returns.
std::int64_t planes_bytes(const PlaneShape& plane, const std::vector<int>& batch_axes,
                          const Shape& widths);

/// The memory of a block in cache.
struct BlockMemory {
  std::int64_t plane_bytes = 0;  ///< for one index of each batch axis; 0: a block needs no plane
  std::int64_t cache_bytes = 0;  ///< of a whole block, approximately
};

/// Returns the memory of a block of fused axes: a quarter of the L2 cache.
BlockMemory fused_block_memory(std::int64_t plane_bytes);

/// Returns the number of indices of each batch axis in a block.
///
/// A block without a plane covers all batch indices, divided among the threads. A block with a
/// plane is as large as its memory allows, but smaller if some threads would have no work. Along a
/// contiguous batch axis, a block has at least 128 bytes of complex numbers if the axis has them.
Shape block_widths(const Box& region, const std::vector<int>& batch_axes, const BlockMemory& memory,
                   const Place& inlet, const Place& outlet, const LocalOptions& options);

/// Returns how many of the transforms from `first` on can share one sweep over the box, at least
/// one. The plane of these transforms must stay in cache. With several threads, there must be
/// enough planes for all threads. `fields` is the number of arrays that are in cache together.
std::size_t fusable(const Box& box, const std::vector<AxisTransform>& transforms, std::size_t first,
                    const Place& inlet, const LocalOptions& options, std::int64_t fields = 1);

}  // namespace weft::kernel
