#pragma once

#include <cstdint>

namespace weft::kernel {

/// The size of a tile: adjacent lines that are transformed together in cache.
struct TileShape {
  std::int64_t pitch_bytes = 0;  ///< from one line to the next
  /// From one row to the next, in a tile whose rows run across the lines.
  std::int64_t row_pitch_bytes = 0;
  std::int64_t lines = 1;  ///< largest number of lines of a tile
  std::int64_t bytes() const { return lines * pitch_bytes; }
};

/// Returns the shape of tiles with lines of `line_bytes`. `element_bytes` is the size of the
/// largest element of a line. A row across the lines has 128 to 512 bytes, as the L2 cache allows;
/// rows across very long lines are shorter.
TileShape tile_shape(std::int64_t line_bytes, std::int64_t element_bytes);

}  // namespace weft::kernel
