#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "kernel/lines.hpp"
#include "kernel/place.hpp"
#include "run/buffers.hpp"

namespace weft::run {

/// Returns the local box after the transforms with numbers `first` to `last` - 1. Each transform
/// changes the extent of its axis to the extent of its output.
Box box_after(Box box, const std::vector<kernel::AxisTransform>& transforms, std::size_t first,
              std::size_t last);

/// Returns a dense local array in a workspace buffer, whose size grows as needed.
kernel::Place dense_array(const Box& box, int buffer, std::int64_t element_bytes,
                          BufferSizes& sizes);

}  // namespace weft::run
