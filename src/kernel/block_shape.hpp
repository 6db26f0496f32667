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

/// Returns the plane of a block as a place: batch axes are outside the plane's axes.
Place plane_place(const PlaneShape& plane, const Box& region, const std::vector<int>& batch_axes,
                  const Shape& widths);

/// Returns the number of indices of each batch axis in a block.
///
/// A single axis: everything, divided among threads only. Fused axes: along a batch axis that is
/// contiguous in memory, enough for rows of 128 bytes. Then as much as the L2 cache holds, or less
/// if some threads would otherwise have no work.
Shape block_widths(const Box& region, const std::vector<int>& batch_axes, std::int64_t plane_bytes,
                   bool fused, const Place& inlet, const Place& outlet,
                   const LocalOptions& options);

}  // namespace weft::kernel
