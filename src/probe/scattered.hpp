#pragma once

#include <cstdint>

namespace weft::probe {

/// Returns the block of an access, from 0 to `blocks` - 1. Every block is used once before one is
/// used again. Consecutive accesses are not to neighbours if there are 7 blocks or more.
std::int64_t scattered_block(std::int64_t access, std::int64_t blocks);

}  // namespace weft::probe
