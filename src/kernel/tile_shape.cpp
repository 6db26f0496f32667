#include "kernel/tile_shape.hpp"

#include <algorithm>

#include "base/block_limits.hpp"
#include "base/rounding.hpp"
#include "kernel/cache.hpp"
#include "kernel/engine.hpp"

namespace weft::kernel {
namespace {

/// Longest row across the lines of a tile. If such a tile does not fit in cache, rows are shorter,
/// down to least_row_bytes.
constexpr std::int64_t row_bytes = 512;
/// Limit of a tile, so that it does not need all memory. For very long lines, rows become shorter
/// than least_row_bytes.
constexpr std::int64_t largest_tile_bytes = std::int64_t{16} << 20;

/// Returns the distance of lines or rows in a tile. It is an odd multiple of a cache line, so that
/// a column does not share one cache set.
std::int64_t pitch_of(std::int64_t bytes) {
  const std::int64_t cache_lines = divided_up(bytes, line_alignment_bytes);
  return (cache_lines % 2 == 0 ? cache_lines + 1 : cache_lines) * line_alignment_bytes;
}

/// Returns the number of lines. A row across the lines has whole cache lines. With 15 complex
/// lines, three columns would be moved one by one, and rows could not be written by non-temporal
/// stores.
std::int64_t lines_of(std::int64_t pitch, std::int64_t element_bytes) {
  const std::int64_t granule = std::max<std::int64_t>(1, line_alignment_bytes / element_bytes);
  const std::int64_t fitting =
      (cache_sizes().l2_bytes / 4 / pitch + granule / 2) / granule * granule;
  const std::int64_t least = least_row_bytes / element_bytes;
  const std::int64_t lines = std::clamp(fitting, least, row_bytes / element_bytes);
  return std::max<std::int64_t>(1, std::min(lines, largest_tile_bytes / pitch));
}

}  // namespace

TileShape tile_shape(std::int64_t line_bytes, std::int64_t element_bytes) {
  const std::int64_t pitch = pitch_of(line_bytes);
  const std::int64_t lines = lines_of(pitch, element_bytes);
  return {pitch, pitch_of(lines * element_bytes), lines};
}

}  // namespace weft::kernel
