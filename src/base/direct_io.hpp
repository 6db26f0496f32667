#pragma once

#include <cstdint>

namespace weft {

/// The alignment of direct transfers, which bypass the page cache, on most machines. Blocks of
/// striped sets, ranks' parts of files, journals and long panels are multiples of it.
inline constexpr std::int64_t direct_io_alignment_bytes = 4096;

/// Returns `bytes`, rounded up to a multiple of the alignment.
constexpr std::int64_t direct_io_rounded(std::int64_t bytes) {
  return (bytes + direct_io_alignment_bytes - 1) / direct_io_alignment_bytes *
         direct_io_alignment_bytes;
}

}  // namespace weft
