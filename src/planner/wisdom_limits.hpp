#pragma once

#include <cstdint>

namespace weft {

/// Enough for thousands of entries: a larger file is of another kind, or an attack.
inline constexpr std::int64_t wisdom_bytes_max = 64 << 20;

}  // namespace weft
