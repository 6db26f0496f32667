#include "probe/scattered.hpp"

#include <algorithm>
#include <numeric>

namespace weft::probe {

std::int64_t scattered_block(std::int64_t access, std::int64_t blocks) {
  // The golden ratio spreads the first accesses evenly over the file.
  std::int64_t stride = std::max<std::int64_t>(1, blocks * 618 / 1000);
  while (std::gcd(stride, blocks) != 1) --stride;
  return access % blocks * stride % blocks;
}

}  // namespace weft::probe
