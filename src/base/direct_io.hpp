#pragma once

#include <cstdint>

#include "base/rounding.hpp"

namespace weft {

/// The alignment of direct transfers, which bypass the page cache, on most machines. Blocks of
/// striped sets, ranks' parts of files, journals and long panels are multiples of it.
inline constexpr std::int64_t direct_io_alignment_bytes = 4096;

/// Returns `bytes`, rounded up to a multiple of the alignment.
constexpr std::int64_t direct_io_rounded(std::int64_t bytes) {
  return rounded_up(bytes, direct_io_alignment_bytes);
}

}  // namespace weft
