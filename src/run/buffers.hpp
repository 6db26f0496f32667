#pragma once

#include <array>
#include <cstdint>

#include <weft/layout.hpp>

#include "kernel/place.hpp"

namespace weft::run {

/// The arrays of a run, by number. Pieces of places refer to them.
///
/// Arrays from first_exposed to first_shared - 1 are windows of MPI. Arrays from first_shared on
/// are in node memory. Source and target are the caller's input and output if other ranks can
/// access these arrays, otherwise workspace. Numbers from buffer_count on are the shared arrays of
/// all ranks.
enum Buffer : int {
  input_buffer,
  output_buffer,
  work_buffer,  ///< first of the buffers private to this process; the last one is spare_buffer
  second_buffer,
  third_buffer,
  own_buffer,  ///< this rank's own block if no other buffer is free; blocks from other nodes
  spare_buffer,
  exposed_buffer,  ///< other ranks put their blocks into it
  other_exposed_buffer,
  even_buffer,
  odd_buffer,      ///< for an array that cannot stay in the even buffer
  arrival_buffer,  ///< messages that one rank of the node receives for all its ranks
  source_buffer,
  target_buffer,
  apart_target,  ///< not a buffer: its size is that of a target that cannot overlap the even buffer
  buffer_count
};
inline constexpr int first_exposed = exposed_buffer;
inline constexpr int first_shared = even_buffer;
inline constexpr int shared_count = buffer_count - first_shared;

/// Returns the number of rank 0's array of the kind `buffer`. The arrays of the other ranks follow.
inline int first_peer_buffer(int buffer, std::int64_t ranks) {
  return buffer_count + (buffer - first_shared) * static_cast<int>(ranks);
}

using BufferSizes = std::array<std::int64_t, buffer_count>;

/// Returns a local array as one piece, or without a piece if the box is empty.
inline kernel::Place array_place(const Box& box, const Shape& strides, int buffer,
                                 std::int64_t element_bytes) {
  kernel::Place place{{}, element_bytes};
  if (!box.empty()) place.pieces.push_back({box, buffer, 0, strides});
  return place;
}

}  // namespace weft::run
