#include "kernel/cache.hpp"

#include <unistd.h>

#include <algorithm>

namespace weft::kernel {
namespace {

CacheSizes read_sizes() {
  constexpr std::int64_t default_l2 = 512 << 10;
  // Limit of one core's share of the last-level cache.
  constexpr std::int64_t largest_share = 4 << 20;
  const std::int64_t l2 = sysconf(_SC_LEVEL2_CACHE_SIZE);
  const std::int64_t l3 = sysconf(_SC_LEVEL3_CACHE_SIZE);
  const std::int64_t cores = std::max<std::int64_t>(1, sysconf(_SC_NPROCESSORS_ONLN));
  CacheSizes sizes;
  sizes.l2_bytes = l2 > 0 ? l2 : default_l2;
  sizes.l3_share_bytes = std::min(largest_share, l3 > 0 ? l3 / cores : 0);
  return sizes;
}

}  // namespace

const CacheSizes& cache_sizes() {
  static const CacheSizes sizes = read_sizes();
  return sizes;
}

}  // namespace weft::kernel
