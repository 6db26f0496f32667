#include "ooc/plan/radices.hpp"

#include <algorithm>
#include <functional>

namespace weft::ooc {

std::vector<std::int64_t> prime_factors(std::int64_t n) {
  std::vector<std::int64_t> primes;
  for (std::int64_t p = 2; p <= n / p; ++p)
    for (; n % p == 0; n /= p) primes.push_back(p);
  if (n > 1) primes.push_back(n);
  return primes;
}

std::vector<std::int64_t> divisors(std::int64_t n) {
  std::vector<std::int64_t> result = {1};
  std::int64_t power = 1;
  std::int64_t last = 1;
  std::size_t before = 1;  // number of divisors without the last prime
  for (const std::int64_t p : prime_factors(n)) {
    if (p != last) {
      before = result.size();
      power = 1;
    }
    last = p;
    power *= p;
    for (std::size_t i = 0; i < before; ++i) result.push_back(result[i] * power);
  }
  std::sort(result.begin(), result.end());
  return result;
}

std::vector<std::int64_t> balanced_factors(std::int64_t n, int count) {
  const std::vector<std::int64_t> all = divisors(n);
  const auto index_of = [&](std::int64_t d) {
    return static_cast<std::size_t>(std::lower_bound(all.begin(), all.end(), d) - all.begin());
  };
  // least[k][i]: the smallest possible largest factor of all[i] as a product of k + 1 factors.
  std::vector<std::vector<std::int64_t>> least = {all};
  for (int k = 1; k < count; ++k) {
    std::vector<std::int64_t> next = all;
    for (std::size_t i = 0; i < all.size(); ++i)
      for (std::size_t j = 0; j < i && all[j] < next[i]; ++j)
        if (all[i] % all[j] == 0)
          next[i] = std::min(next[i], std::max(all[j], least.back()[index_of(all[i] / all[j])]));
    least.push_back(next);
  }
  const std::int64_t limit = least.back().back();
  std::vector<std::int64_t> factors;
  std::int64_t rest = n;
  for (int k = count - 1; k > 0; --k) {
    auto j = all.size() - 1;
    while (rest % all[j] != 0 || all[j] > limit ||
           least[static_cast<std::size_t>(k) - 1][index_of(rest / all[j])] > limit)
      --j;
    factors.push_back(all[j]);
    rest /= all[j];
  }
  factors.push_back(rest);
  std::sort(factors.begin(), factors.end(), std::greater<>());
  return factors;
}

}  // namespace weft::ooc
