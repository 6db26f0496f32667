#include "kernel/fftw_library.hpp"

#include <gtest/gtest.h>

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
