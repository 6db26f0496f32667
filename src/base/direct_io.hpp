#pragma once

#include <cstdint>

namespace weft {

/// Direct transfers, which bypass the system's memory, begin and end at multiples of this on most
/// machines. Blocks of several disks, parts of files, journals and long panels are multiples of it.
inline constexpr std::int64_t direct_io_alignment_bytes = 4096;

/// Returns the least multiple of the alignment that is not below `bytes`.
constexpr std::int64_t direct_io_rounded(std::int64_t bytes) {
  return (bytes + direct_io_alignment_bytes - 1) / direct_io_alignment_bytes *
         direct_io_alignment_bytes;
}

}  // namespace weft
