#pragma once

#include <algorithm>
#include <cstdint>

namespace weft::kernel {

/// Sizes of the caches. They come from the system, if it reports them.
struct CacheSizes {
  std::int64_t l2_bytes = 0;        ///< of one core; 512 KiB if unknown
  std::int64_t l3_share_bytes = 0;  ///< of the last level, divided by the number of cores, at most
                                    ///< 4 MiB; 0 if unknown

  /// Returns the bytes that stay in cache if one core uses them again.
  std::int64_t core_bytes() const { return std::max(l2_bytes, l3_share_bytes); }
};
const CacheSizes& cache_sizes();

}  // namespace weft::kernel
