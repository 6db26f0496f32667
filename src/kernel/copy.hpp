#pragma once

#include <cstdint>
#include <span>

#include "kernel/place.hpp"
#include "kernel/transpose.hpp"

namespace weft::kernel {

/// A strided copy in elements: dst[i*dst_row + j*dst_column] = src[i*src_row + j*src_column].
struct PlaneCopy {
  std::int64_t rows = 0;
  std::int64_t columns = 0;
  std::int64_t src_row = 0;
  std::int64_t src_column = 0;
  std::int64_t dst_row = 0;
  std::int64_t dst_column = 0;
};

/// The target of a copy: `far` means that it is in memory, otherwise it is in cache.
struct Target {
  bool far = false;
  Stores stores = Stores::cached;
};

/// Executes a plane copy. Elements of 4, 8, 16 or 32 bytes are fast, other sizes are slower. Rows
/// or columns of at least 64 bytes that are contiguous on both sides are copied whole. Transposes
/// use registers.
void copy_plane(void* dst, const void* src, const PlaneCopy& plane, std::int64_t element_bytes,
                Target target = {});

/// Copies a box between two strided arrays that do not overlap. Strides in elements.
void copy_box(void* dst, std::span<const std::int64_t> dst_strides, const void* src,
              std::span<const std::int64_t> src_strides, std::span<const std::int64_t> extents,
              std::int64_t element_bytes);

}  // namespace weft::kernel
