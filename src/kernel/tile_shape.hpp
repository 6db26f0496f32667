#pragma once

#include <cstdint>

namespace weft::kernel {

/// The size of a tile: adjacent lines that are transformed together in cache.
struct TileShape {
  std::int64_t pitch_bytes = 0;  ///< from one line to the next
  std::int64_t row_bytes = 0;    ///< from one row to the next, if a tile has lines across
  std::int64_t lines = 1;        ///< at most
  std::int64_t bytes() const { return lines * pitch_bytes; }
};

/// Returns the shape of tiles of lines of `line_bytes`, whose longest elements have
/// `element_bytes`. A row across the lines is as long as the L2 cache allows, up to 512 bytes.
TileShape tile_shape(std::int64_t line_bytes, std::int64_t element_bytes);

}  // namespace weft::kernel
