#include "kernel/fftw_library.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <numbers>

#include "support/real_kinds.hpp"
#include "unit/support/expect_error.hpp"
#include "unit/support/need_fftw.hpp"

namespace weft::kernel {
namespace {

using test_support::expect_error;
using test_support::installed_fftw;

TEST(FftwLibrary, OneFileLeadsToAllPrecisions) {
  WEFT_NEED_FFTW()
  const FftwLibrary library = load_fftw(installed_fftw);
  EXPECT_EQ(library.file, installed_fftw);
  for (const auto precision : {Precision::f32, Precision::f64, Precision::f80}) {
    ASSERT_TRUE(library.has(precision)) << to_string(precision);
    const FftwFunctions& functions = library.of(precision);
    EXPECT_EQ(std::strncmp(functions.version, "fftw-3", 6), 0) << functions.version;
    EXPECT_NE(functions.export_wisdom, nullptr);
  }
  EXPECT_NE(library.of(Precision::f32).plan_c2c, library.of(Precision::f64).plan_c2c);
}

/// Compares the transform that FFTW makes for each kind with its definition, a sum.
TEST(FftwLibrary, TransformsOfRealsAreTheirSums) {
  WEFT_NEED_FFTW()
  const FftwLibrary library = load_fftw(installed_fftw);
  const FftwFunctions& functions = library.of(Precision::f64);
  ASSERT_NE(functions.plan_r2r, nullptr);
  constexpr int n = 5;
  const std::array<double, n> x{1, -2, 3, 0.5, 4};
  const auto wanted = [&](Kind kind, int k) {
    double sum = 0;
    for (int j = 0; j < n; ++j) {
      const test_support::RealTerm term = test_support::real_term(kind, j, k, n);
      const double angle = std::numbers::pi * static_cast<double>(term.m) /
                           static_cast<double>(test_support::half_turn(kind, n));
      sum += x[static_cast<std::size_t>(j)] * term.weight *
             test_support::wave_of(kind, std::cos(angle), std::sin(angle));
    }
    return sum;
  };
  ASSERT_EQ(fftw::r2r_kinds.size(), test_support::real_kinds.size());
  for (std::size_t i = 0; i < fftw::r2r_kinds.size(); ++i) {
    std::array<double, n> in = x;
    std::array<double, n> out{};
    const FftwLoop line{n, 1, 1};
    void* plan = functions.plan_r2r(1, &line, 0, nullptr, in.data(), out.data(),
                                    &fftw::r2r_kinds[i], fftw::estimate | fftw::preserve_input);
    const Kind kind = test_support::real_kinds[i];
    ASSERT_NE(plan, nullptr) << to_string(kind);
    functions.execute_r2r(plan, in.data(), out.data());
    functions.destroy(plan);
    for (int k = 0; k < n; ++k)
      EXPECT_NEAR(out[static_cast<std::size_t>(k)], wanted(kind, k), 1e-13)
          << to_string(kind) << ", " << k;
  }
}

/// As in MKL, the library has the function, but the function makes no plan.
TEST(FftwLibrary, ALibraryThatPlansNoTransformsOfRealsHasNone) {
  WEFT_NEED_FFTW()
  EXPECT_NE(load_fftw(WEFT_FFTW_WITHOUT_PLANS).of(Precision::f64).plan_r2r, nullptr);
  ASSERT_EQ(setenv("WEFT_TEST_REFUSED", "r2r", 1), 0);
  const FftwLibrary library = load_fftw(WEFT_FFTW_WITHOUT_PLANS);
  unsetenv("WEFT_TEST_REFUSED");
  EXPECT_TRUE(library.has(Precision::f64));
  EXPECT_EQ(library.of(Precision::f64).plan_r2r, nullptr);
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
