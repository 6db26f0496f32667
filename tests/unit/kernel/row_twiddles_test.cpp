#include "kernel/row_twiddles.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <vector>

#include "support/line_oracle.hpp"
#include "support/seed.hpp"
#include "unit/support/expect_error.hpp"

namespace weft::ooc {
namespace {

using test_support::expect_error;

constexpr std::int64_t power_of_3 = 3486784401;      // 3^20
constexpr std::int64_t prime = 1000000007;           // larger than any table
constexpr std::int64_t large_prime = 1099511627791;  // the first prime above 2^40
constexpr std::int64_t power_of_2 = std::int64_t{1} << 40;

const std::vector<std::int64_t> row_lengths = {
    1, 2, 3, 4, 5, 8, 12, 64, 97, 1000, power_of_3, prime, large_prime, power_of_2};

/// Returns the smallest and largest indices, indices near the octants, and random ones.
std::vector<std::int64_t> indices(std::int64_t n, std::mt19937_64& random) {
  std::vector<std::int64_t> result;
  for (int octant = 0; octant <= 8; ++octant)
    for (const std::int64_t near : {-2, -1, 0, 1, 2}) {
      const std::int64_t m = n / 8 * octant + n % 8 * octant / 8 + near;
      if (m >= 0 && m < n) result.push_back(m);
    }
  std::uniform_int_distribution<std::int64_t> uniform(0, n - 1);
  for (int i = 0; i < 300; ++i) result.push_back(uniform(random));
  return result;
}

/// Returns the distance of w from exp(sign*2*pi*i*m/n): the larger one of the errors of its real
/// and imaginary parts. The exact value has 113 bits.
template <class Real>
double error_of(std::complex<Real> w, std::int64_t m, std::int64_t n, int sign) {
  const kernel::WideComplex exact = kernel::root(m, n);
  const kernel::Wide im = sign < 0 ? exact.im : -exact.im;
  return std::max(std::abs(static_cast<double>(kernel::Wide(w.real()) - exact.re)),
                  std::abs(static_cast<double>(kernel::Wide(w.imag()) - im)));
}

TEST(Twiddles, every_root_is_rounded_about_once) {
  const std::uint64_t seed = test_support::chosen_seed(20);
  std::mt19937_64 random(seed);
  for (const std::int64_t n : row_lengths)
    for (const int sign : {-1, 1}) {
      const kernel::RowTwiddles twiddles(n, sign);
      for (const std::int64_t m : indices(n, random))
        ASSERT_LE(error_of(twiddles.at(m), m, n, sign), 0x1.8p-53)
            << "m = " << m << ", n = " << n << ", sign " << sign << ", seed " << seed;
    }
}

TEST(Twiddles, rows_are_multiples_of_their_step) {
  const std::uint64_t seed = test_support::chosen_seed(21);
  std::mt19937_64 random(seed);
  for (const std::int64_t n : row_lengths) {
    const kernel::RowTwiddles twiddles(n, -1);
    for (const std::int64_t step : indices(n, random)) {
      const std::int64_t count = 1 + static_cast<std::int64_t>(random() % 200);
      std::vector<std::complex<double>> doubles(static_cast<std::size_t>(count));
      std::vector<std::complex<float>> floats(static_cast<std::size_t>(count));
      twiddles.row(step, count, doubles.data());
      twiddles.row(step, count, floats.data());
      for (const std::int64_t k : {std::int64_t{0}, count / 3, count / 2, count - 1}) {
        const std::int64_t m = product_mod(k, step, n);
        const auto at = static_cast<std::size_t>(k);
        ASSERT_LE(error_of(doubles[at], m, n, -1), 0x1p-51)
            << "k = " << k << ", step " << step << ", n = " << n << ", seed " << seed;
        ASSERT_LE(error_of(floats[at], m, n, -1), 0x1.001p-25)
            << "k = " << k << ", step " << step << ", n = " << n << ", seed " << seed;
      }
    }
  }
}

/// Returns a * b mod n by doubling and adding, which needs at most 64 bits.
std::int64_t slow_product_mod(std::int64_t a, std::int64_t b, std::int64_t n) {
  std::int64_t sum = 0;
  for (a %= n; b > 0; b /= 2, a = a < n - a ? 2 * a : a - (n - a))
    if (b % 2 == 1) sum = sum < n - a ? sum + a : sum - (n - a);
  return sum;
}

TEST(Twiddles, products_of_indices_are_exact) {
  const std::uint64_t seed = test_support::chosen_seed(22);
  SCOPED_TRACE(test_support::repeated_by(seed));
  std::mt19937_64 random(seed);
  for (const std::int64_t n : {power_of_3, prime, large_prime, power_of_2})
    for (int i = 0; i < 100; ++i) {
      const auto a = static_cast<std::int64_t>(random() >> 2);
      const auto b = static_cast<std::int64_t>(random() >> 2);
      ASSERT_EQ(product_mod(a, b, n), slow_product_mod(a, b, n)) << a << " * " << b;
    }
}

TEST(Twiddles, tables_grow_with_the_root_of_the_length) {
  EXPECT_EQ(kernel::RowTwiddles::table_bytes(power_of_2), 2 * (std::int64_t{1} << 20) * 16);
  EXPECT_EQ(kernel::RowTwiddles::table_bytes(1), 2 * 16);
  EXPECT_LE(kernel::RowTwiddles::table_bytes(power_of_3), 2 * (std::int64_t{1} << 16) * 16);
}

TEST(Twiddles, wrong_lengths_and_signs_are_refused) {
  expect_error(ErrorCode::invalid_argument, {"length 0", "1 to 2^62"},
               [] { kernel::RowTwiddles(0, 1); });
  expect_error(ErrorCode::invalid_argument, {"sign 2"}, [] { kernel::RowTwiddles(8, 2); });
}

}  // namespace
}  // namespace weft::ooc
