#pragma once

#include <cstdint>

namespace weft {

/// Thousands of entries: what is longer is something else, or meant to hurt.
inline constexpr std::int64_t wisdom_bytes_max = 64 << 20;

}  // namespace weft
