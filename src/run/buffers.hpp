#pragma once

#include <array>
#include <cstdint>

#include <weft/layout.hpp>

#include "kernel/place.hpp"

namespace weft::run {

/// The arrays of a run, by number: pieces of places refer to them.
///
/// Those from first_shared on lie in node memory. Source and target are the caller's input and
/// output where peers can be shown those, else workspace. Shared arrays of other ranks are numbered
/// behind all of these.
enum Buffer : int {
  input_buffer,
  output_buffer,
  work_buffer,  ///< from here to spare_buffer: of this process alone
  second_buffer,
  third_buffer,
  own_buffer,  ///< its block of an exchange where it fits nowhere else; what comes from other nodes
  spare_buffer,
  even_buffer,
  odd_buffer,      ///< where the array cannot stay in the even one
  arrival_buffer,  ///< messages to the ranks of this node that one of them receives
  source_buffer,
  target_buffer,
  apart_target,  ///< only its bytes count: those of a target that cannot lie where the even buffer does
  buffer_count
};
inline constexpr int first_shared = even_buffer;
inline constexpr int shared_count = buffer_count - first_shared;

/// Number of rank 0's array of the kind `buffer`, of which there is one for each rank.
inline int first_peer_buffer(int buffer, std::int64_t ranks) {
  return buffer_count + (buffer - first_shared) * static_cast<int>(ranks);
}

using BufferSizes = std::array<std::int64_t, buffer_count>;

/// A local array as one piece; no piece where the box is empty.
inline kernel::Place array_place(const Box& box, const Shape& strides, int buffer,
                                 std::int64_t element_bytes) {
  kernel::Place place{{}, element_bytes};
  if (!box.empty()) place.pieces.push_back({box, buffer, 0, strides});
  return place;
}

}  // namespace weft::run
