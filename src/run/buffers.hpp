#pragma once

#include <array>
#include <cstdint>

#include <weft/layout.hpp>

#include "kernel/place.hpp"

namespace weft::run {

/// The arrays of a run, by number: pieces of places refer to them.
enum Buffer : int {
  input_buffer,
  output_buffer,
  send_buffer,
  recv_buffer,
  spare_buffer,
  buffer_count
};

using BufferSizes = std::array<std::int64_t, buffer_count>;

/// A local array as one piece; no piece where the box is empty.
inline kernel::Place array_place(const Box& box, const Shape& strides, int buffer,
                                 std::int64_t element_bytes) {
  kernel::Place place{{}, element_bytes};
  if (!box.empty()) place.pieces.push_back({box, buffer, 0, strides});
  return place;
}

}  // namespace weft::run
