#pragma once

#include <cstdint>
#include <vector>

#include <weft/precision.hpp>

#include "kernel/place.hpp"

namespace weft::kernel {

/// Adds one place to another, in the common parts of both places within a box. A sum is made once
/// and executed often. One thread adds in the order of the elements, so the same input gives the
/// same bits.
class BoxSum {
 public:
  BoxSum() = default;
  BoxSum(const Box& box, const Place& from, const Place& to)
      : parts_(common_boxes(box, from, to)), element_bytes_(to.element_bytes) {}
  /// `precision` is the precision of the real numbers. An element has one or two of them. Allocates
  /// nothing.
  void execute(void* const* buffers, Precision precision) const;

 private:
  std::vector<CommonBox> parts_;
  std::int64_t element_bytes_ = 0;
};

/// Sets every byte of a strided box to zero. `strides` in elements.
void clear_box(void* array, const Shape& strides, const Shape& extents, std::int64_t element_bytes);

}  // namespace weft::kernel
