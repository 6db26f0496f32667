#pragma once

#include <cstdint>

namespace weft {

// Limits for the division of a local transform into blocks: lines or planes that a thread
// transforms together in cache. The model uses these limits too.

/// Minimum bytes of a row, across the lines of a tile or the planes of a block; shorter rows waste
/// memory bandwidth.
constexpr std::int64_t least_row_bytes = 128;
/// Minimum blocks for each thread; fewer leave threads waiting. Example: with 2 threads, 3 blocks
/// take as long as 4.
constexpr std::int64_t fewest_blocks_a_thread = 2;

}  // namespace weft
