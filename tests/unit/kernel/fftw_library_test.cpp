#include "kernel/fftw_library.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <cstring>

#include "unit/support/expect_error.hpp"

namespace weft::kernel {
namespace {

using test_support::expect_error;

constexpr const char* installed = "libfftw3.so.3";

/// Tests that need FFTW are skipped where it is not installed.
#define WEFT_NEED_FFTW()                                       \
  try {                                                        \
    load_fftw(installed);                                      \
  } catch (const Error& error) {                               \
    GTEST_SKIP() << "FFTW is not installed: " << error.what(); \
  }

TEST(FftwLibrary, OneFileLeadsToAllPrecisions) {
  WEFT_NEED_FFTW()
  const FftwLibrary library = load_fftw(installed);
  EXPECT_EQ(library.file, installed);
  for (const auto precision : {Precision::f32, Precision::f64, Precision::f80}) {
    ASSERT_TRUE(library.has(precision)) << to_string(precision);
    const FftwFunctions& functions = library.of(precision);
    EXPECT_EQ(std::strncmp(functions.version, "fftw-3", 6), 0) << functions.version;
    EXPECT_NE(functions.export_wisdom, nullptr);
  }
  EXPECT_NE(library.of(Precision::f32).plan_c2c, library.of(Precision::f64).plan_c2c);
}

/// Each type against its sum in the manual; types 1 need at least two points.
TEST(FftwLibrary, CosineAndSineTransformsAreTheirSums) {
  WEFT_NEED_FFTW()
  const FftwLibrary library = load_fftw(installed);
  const FftwFunctions& functions = library.of(Precision::f64);
  ASSERT_NE(functions.plan_r2r, nullptr);
  constexpr int n = 5;
  const std::array<double, n> x{1, -2, 3, 0.5, 4};
  const double pi = std::acos(-1.0);
  const auto sum = [&](auto term) {
    double total = 0;
    for (int j = 0; j < n; ++j) total += x[static_cast<std::size_t>(j)] * term(j);
    return total;
  };
  const auto twice_inside = [](int j, int first, int last) {
    return j == first || j == last ? 1.0 : 2.0;
  };
  const auto wanted = [&](int kind, int k) {
    const double a = pi / n;
    switch (kind) {
      case fftw::dct1:
        return sum(
            [&](int j) { return twice_inside(j, 0, n - 1) * std::cos(pi * j * k / (n - 1)); });
      case fftw::dct2:
        return sum([&](int j) { return 2 * std::cos(a * (j + 0.5) * k); });
      case fftw::dct3:
        return sum([&](int j) { return twice_inside(j, 0, 0) * std::cos(a * j * (k + 0.5)); });
      case fftw::dct4:
        return sum([&](int j) { return 2 * std::cos(a * (j + 0.5) * (k + 0.5)); });
      case fftw::dst1:
        return sum([&](int j) { return 2 * std::sin(pi * (j + 1) * (k + 1) / (n + 1)); });
      case fftw::dst2:
        return sum([&](int j) { return 2 * std::sin(a * (j + 0.5) * (k + 1)); });
      case fftw::dst3:
        return sum([&](int j) {
          return twice_inside(j, n - 1, n - 1) * std::sin(a * (j + 1) * (k + 0.5));
        });
      default:
        return sum([&](int j) { return 2 * std::sin(a * (j + 0.5) * (k + 0.5)); });
    }
  };
  for (const int kind : {fftw::dct1, fftw::dct2, fftw::dct3, fftw::dct4, fftw::dst1, fftw::dst2,
                         fftw::dst3, fftw::dst4}) {
    std::array<double, n> in = x;
    std::array<double, n> out{};
    const FftwLoop line{n, 1, 1};
    void* plan = functions.plan_r2r(1, &line, 0, nullptr, in.data(), out.data(), &kind,
                                    fftw::estimate | fftw::preserve_input);
    ASSERT_NE(plan, nullptr) << kind;
    functions.execute_r2r(plan, in.data(), out.data());
    functions.destroy(plan);
    for (int k = 0; k < n; ++k)
      EXPECT_NEAR(out[static_cast<std::size_t>(k)], wanted(kind, k), 1e-13) << kind << ", " << k;
  }
}

TEST(FftwLibrary, AMissingFileIsRefused) {
  expect_error(ErrorCode::invalid_argument,
               {"WEFT_FFTW_LIBRARY", "\"/no/such/library.so\"", "cannot be loaded", "correct"},
               [] { load_fftw("/no/such/library.so"); });
}

TEST(FftwLibrary, ALibraryOfOtherFunctionsIsRefused) {
  expect_error(ErrorCode::invalid_argument, {"WEFT_FFTW_LIBRARY", "libm.so.6", "other functions"},
               [] { load_fftw("libm.so.6"); });
}

TEST(FftwLibrary, ALibraryOfAnotherPrecisionIsRefused) {
  WEFT_NEED_FFTW()
  expect_error(ErrorCode::invalid_argument, {"libfftw3f.so.3", "floats only", "for doubles"},
               [] { load_fftw("libfftw3f.so.3"); });
  expect_error(ErrorCode::invalid_argument, {"libfftw3l.so.3", "long doubles only"},
               [] { load_fftw("libfftw3l.so.3"); });
}

}  // namespace
}  // namespace weft::kernel
