#pragma once

#include <cstdint>
#include <vector>

#include <weft/precision.hpp>

#include "kernel/place.hpp"

namespace weft::kernel {

/// Adds one place to another, where both have a part of a box. Made once, executed often. One
/// thread, in the order of the elements: the same input gives the same bits.
class BoxSum {
 public:
  BoxSum() = default;
  BoxSum(const Box& box, const Place& from, const Place& to)
      : parts_(common_boxes(box, from, to)), element_bytes_(to.element_bytes) {}
  /// `precision`: of the real numbers, one or two of which are an element. Allocates nothing.
  void execute(void* const* buffers, Precision precision) const;

 private:
  std::vector<CommonBox> parts_;
  std::int64_t element_bytes_ = 0;
};

/// Sets every byte of a strided box to zero. `strides` in elements.
void clear_box(void* array, const Shape& strides, const Shape& extents, std::int64_t element_bytes);

}  // namespace weft::kernel
