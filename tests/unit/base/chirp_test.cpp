// Exponents of chirps, compared with 128-bit products. Exponents of convolution kernels, compared
// with their definition. Also smooth numbers.
#include "base/chirp.hpp"

#include <gtest/gtest.h>

#include <map>
#include <numeric>
#include <vector>

#include "base/smooth.hpp"

namespace weft {
namespace {

TEST(BaseChirp, exponents_are_squares_modulo_twice_n_in_both_directions) {
  constexpr std::int64_t huge = (std::int64_t{1} << 60) - 93;
  for (const std::int64_t n : {std::int64_t{1}, std::int64_t{2}, std::int64_t{31}, huge})
    for (const std::int64_t step : {1, -1})
      for (const std::int64_t first : {std::int64_t{0}, n / 2, n - 1}) {
        const std::int64_t remaining = step > 0 ? n - first : first + 1;
        const std::int64_t count = std::min<std::int64_t>(200, remaining);
        std::int64_t seen = 0;
        for_chirp(n, first, step, count, [&](std::int64_t i, std::int64_t exponent) {
          ASSERT_EQ(i, seen++);
          const std::int64_t j = first + i * step;
          ASSERT_EQ(exponent, product_mod(j, j, 2 * n)) << j << " of " << n;
        });
        ASSERT_EQ(seen, count);
      }
  for_chirp(5, 0, 1, 0, [](std::int64_t, std::int64_t) { FAIL() << "visited an element"; });
  for_chirp(5, 0, 1, -3, [](std::int64_t, std::int64_t) { FAIL() << "visited an element"; });
}

/// Returns the exponents of a kernel according to its definition.
std::map<std::int64_t, std::int64_t> by_definition(const ChirpKernel& kernel) {
  std::map<std::int64_t, std::int64_t> found;
  for (std::int64_t j = 0; j < kernel.ahead; ++j) found[j] = j * j % (2 * kernel.n);
  for (std::int64_t j = 1; j < kernel.behind; ++j)
    found[kernel.points - j] = j * j % (2 * kernel.n);
  return found;
}

TEST(BaseChirp, parts_of_kernels_give_the_whole_kernel) {
  for (const ChirpKernel& kernel :
       {ChirpKernel{7, 13, 7, 7}, ChirpKernel{7, 20, 7, 7}, ChirpKernel{10, 16, 6, 10},
        ChirpKernel{10, 15, 6, 10}, ChirpKernel{5, 9, 5, 1}, ChirpKernel{1, 1, 1, 1}})
    for (std::int64_t length = 1; length <= kernel.points; ++length) {
      std::map<std::int64_t, std::int64_t> found;
      for (std::int64_t first = 0; first < kernel.points; first += length)
        for_kernel(kernel, first, std::min(length, kernel.points - first),
                   [&](std::int64_t i, std::int64_t exponent) {
                     ASSERT_TRUE(found.emplace(first + i, exponent).second) << first + i;
                   });
      ASSERT_EQ(found, by_definition(kernel)) << kernel.points << " points in parts of " << length;
    }
}

std::int64_t without_small_primes(std::int64_t n, const std::vector<std::int64_t>& primes) {
  for (const std::int64_t prime : primes)
    while (n % prime == 0) n /= prime;
  return n;
}

TEST(BaseSmooth, all_products_of_small_primes_are_found) {
  for (const std::int64_t lo : {1, 2, 11, 97, 900}) {
    std::vector<std::int64_t> wanted;
    for (std::int64_t n = lo; n <= 1000; ++n)
      if (without_small_primes(n, {2, 3, 5, 7}) == 1) wanted.push_back(n);
    EXPECT_EQ(smooth_numbers(lo, 1000), wanted);
  }
  EXPECT_TRUE(smooth_numbers(11, 11).empty());
  EXPECT_TRUE(smooth_numbers(5, 4).empty());
  EXPECT_TRUE(smooth_numbers(1, 0).empty());
  EXPECT_EQ(smooth_numbers(std::int64_t{1} << 61, std::int64_t{1} << 61).size(), 1U);
}

TEST(BaseSmooth, large_primes_are_those_above_13) {
  for (std::int64_t n = 1; n < 2000; ++n)
    ASSERT_EQ(has_large_prime(n), without_small_primes(n, {2, 3, 5, 7, 11, 13}) > 1) << n;
}

}  // namespace
}  // namespace weft
