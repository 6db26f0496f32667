#pragma once

#include <cstdint>

namespace weft {

// What local transforms keep to when they divide work into blocks, so the model counts with it too.

/// Bytes of a row, across the lines of a tile or the planes of a block, below which memory is used
/// badly.
constexpr std::int64_t least_row_bytes = 128;
/// With fewer blocks for each thread too much of their time is waiting: 3 blocks of 2 threads take
/// as long as 4.
constexpr std::int64_t fewest_blocks_a_thread = 2;

}  // namespace weft
