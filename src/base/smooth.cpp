#include "base/smooth.hpp"

#include <algorithm>
#include <limits>

namespace weft {

std::int64_t smooth_length(std::int64_t n) {
  std::int64_t best = std::numeric_limits<std::int64_t>::max();
  for (std::int64_t fives = 1; fives < best; fives *= 5) {
    for (std::int64_t odd = fives; odd < best; odd *= 3) {
      std::int64_t all = odd;
      while (all < n) all *= 2;
      best = std::min(best, all);
      if (odd >= n) break;
    }
    if (fives >= n) break;
  }
  return best;
}

std::vector<std::int64_t> smooth_numbers(std::int64_t lo, std::int64_t hi) {
  std::vector<std::int64_t> found;
  if (hi >= 1) found.push_back(1);
  for (const std::int64_t prime : {2, 3, 5, 7})
    for (std::size_t i = 0; i < found.size(); ++i)  // `found` grows: visits powers of the prime too
      if (found[i] <= hi / prime) found.push_back(found[i] * prime);
  std::sort(found.begin(), found.end());
  return {std::lower_bound(found.begin(), found.end(), lo), found.end()};
}

bool has_large_prime(std::int64_t n) {
  for (const std::int64_t prime : {2, 3, 5, 7, 11, 13})
    while (n % prime == 0) n /= prime;
  return n > 1;
}

}  // namespace weft
