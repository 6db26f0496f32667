// The size of tiles.
#include "kernel/tile_shape.hpp"

#include <gtest/gtest.h>

#include "kernel/cache.hpp"
#include "kernel/engine.hpp"

namespace weft::kernel {
namespace {

/// With tiles of 15 complex lines, a transpose moves three columns one by one, and rows cannot be
/// streamed. A transform of 2^20 points then took 1.5 times as long.
TEST(TileShape, RowsAcrossTheLinesAreWholeCacheLines) {
  for (const std::int64_t element : {8, 16, 32})
    for (std::int64_t length = 1; length <= 20000; length += 1 + length / 50) {
      const TileShape tile = tile_shape(length * element, element);
      EXPECT_EQ(tile.lines * element % line_alignment_bytes, 0) << length << " of " << element;
      EXPECT_GE(tile.row_pitch_bytes, tile.lines * element);
      EXPECT_GE(tile.pitch_bytes, length * element);
    }
}

/// As long as rows are long, a tile of the input and a tile of the output fit in the second-level
/// cache together.
TEST(TileShape, TilesFitInCacheWhileRowsAreLong) {
  constexpr std::int64_t element = 16;
  for (std::int64_t length = 1; length <= 4096; length += 1 + length / 50) {
    const TileShape tile = tile_shape(length * element, element);
    if (tile.lines * element <= 128) continue;
    EXPECT_LE(2 * tile.bytes(), cache_sizes().l2_bytes) << length;
  }
}

}  // namespace
}  // namespace weft::kernel
