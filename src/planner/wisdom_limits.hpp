#pragma once

#include <cstdint>

namespace weft {

/// The size limit of a file of wisdom, enough for thousands of entries. A larger file is not
/// wisdom, or is an attack.
inline constexpr std::int64_t wisdom_bytes_max = 64 << 20;

}  // namespace weft
