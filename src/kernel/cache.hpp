#pragma once

#include <cstdint>

namespace weft::kernel {

/// Sizes of the caches as the system reports them; cautious defaults for unknown sizes.
struct CacheSizes {
  std::int64_t l2_bytes = 0;        ///< of one core
  std::int64_t l3_share_bytes = 0;  ///< of the last level, divided by the cores that share it
};
const CacheSizes& cache_sizes();

}  // namespace weft::kernel
