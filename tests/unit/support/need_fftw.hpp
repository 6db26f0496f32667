#pragma once

#include <gtest/gtest.h>

#include "kernel/fftw_library.hpp"
#include "weft/error.hpp"

namespace weft::test_support {

inline constexpr const char* installed_fftw = "libfftw3.so.3";

}  // namespace weft::test_support

/// Tests that need FFTW are skipped where it is not installed.
#define WEFT_NEED_FFTW()                                         \
  try {                                                          \
    weft::kernel::load_fftw(weft::test_support::installed_fftw); \
  } catch (const weft::Error& error) {                           \
    GTEST_SKIP() << "FFTW is not installed: " << error.what();   \
  }
