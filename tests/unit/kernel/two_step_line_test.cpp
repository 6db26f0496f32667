// Lines longer than the cache, transformed in two steps, compared with the library's transform of
// the whole line.
#include "kernel/two_step_line.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <complex>
#include <limits>
#include <random>
#include <vector>

#include "base/memory.hpp"
#include "support/seed.hpp"

namespace weft::kernel {
namespace {

template <class T>
void expect_same(std::int64_t length, LineKind kind, long double scale, bool in_place,
                 std::uint64_t seed) {
  constexpr Precision precision = sizeof(T) == 4   ? Precision::f32
                                  : sizeof(T) == 8 ? Precision::f64
                                                   : Precision::f80;
  const AxisTransform transform{.kind = kind, .length = length, .scale = scale};
  const LocalOptions options{.engine = &default_engine(), .precision = precision};
  const std::int64_t bytes = length * complex_bytes(precision);
  AlignedBuffer given(bytes), expected(bytes), found(bytes);
  std::mt19937_64 random(seed);
  std::normal_distribution<double> normal;
  auto* x = given.as<std::complex<T>>();
  for (std::int64_t k = 0; k < length; ++k) x[k] = {T(normal(random)), T(normal(random))};
  const std::vector<std::complex<T>> before(x, x + length);
  LineRunner(transform, options, bytes, bytes, false).run(given.data(), expected.data(), 1);
  std::copy(before.begin(), before.end(), x);
  const TwoStepLine line(transform, options);
  AlignedBuffer scratch(line.scratch_bytes());
  line.run(given.data(), in_place ? given.data() : found.data(), scratch.data());
  if (!in_place) {
    EXPECT_TRUE(std::equal(before.begin(), before.end(), x)) << "the input has changed";
  }
  const auto* y = (in_place ? given : found).template as<std::complex<T>>();
  const auto* z = expected.as<std::complex<T>>();
  long double error = 0, norm = 0;
  for (std::int64_t k = 0; k < length; ++k) {
    error += std::norm(std::complex<long double>(y[k]) - std::complex<long double>(z[k]));
    norm += std::norm(std::complex<long double>(z[k]));
  }
  const long double eps = std::numeric_limits<T>::epsilon();
  EXPECT_LT(std::sqrt(error / norm), 4 * eps * std::sqrt(std::log2(double(length))));
}

TEST(TwoStepLine, equals_the_transform_of_the_whole_line) {
  const std::uint64_t seed = test_support::chosen_seed(20311);
  SCOPED_TRACE(test_support::repeated_by(seed));
  for (const auto kind : {LineKind::c2c_forward, LineKind::c2c_backward})
    for (const bool in_place : {false, true}) {
      expect_same<double>(1 << 19, kind, 1, in_place, seed);
      expect_same<double>(1000 * 648, kind, 0.25L, in_place, seed);  // tiles that are not full
      expect_same<float>(1 << 20, kind, 3, in_place, seed);
      expect_same<long double>(2 * 3 * 5 * 7 * 11 * 13 * 16, kind, 1, in_place, seed);
    }
}

TEST(TwoStepLine, has_factors_only_for_long_lines_with_suitable_ones) {
  const auto found = TwoStepLine::factors(1 << 21, Precision::f64);
  ASSERT_TRUE(found.has_value());
  EXPECT_EQ(*found, (std::pair<std::int64_t, std::int64_t>(1 << 10, 1 << 11)));
  EXPECT_FALSE(TwoStepLine::factors(1 << 18, Precision::f64)) << "too short";
  EXPECT_TRUE(TwoStepLine::factors(1 << 18, Precision::f80)) << "as many bytes as 2^19 doubles";
  EXPECT_FALSE(TwoStepLine::factors(1000003, Precision::f64)) << "a prime has no factors";
  EXPECT_FALSE(TwoStepLine::factors(2 * 500009, Precision::f64)) << "one prime is too large";
  EXPECT_FALSE(TwoStepLine::factors(std::int64_t{1} << 30, Precision::f64)) << "too long";
}

}  // namespace
}  // namespace weft::kernel
