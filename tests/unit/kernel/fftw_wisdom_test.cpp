// FFTW's own wisdom about lines, taken from one process and given to another.
#include <dlfcn.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <sstream>
#include <string>
#include <vector>

#include "kernel/engines.hpp"
#include "unit/support/expect_error.hpp"
#include "unit/support/need_fftw.hpp"

namespace weft::kernel {
namespace {

using test_support::expect_error;

/// Makes FFTW forget what it has learnt, as a new process does.
void forget() {
  void* const library = dlopen(test_support::installed_fftw, RTLD_NOW | RTLD_LOCAL);
  ASSERT_NE(library, nullptr);
  reinterpret_cast<void (*)()>(dlsym(library, "fftw_forget_wisdom"))();
}

/// Returns the sorted entries of FFTW's wisdom, because their order does not matter.
std::vector<std::string> sorted_lines(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  std::sort(lines.begin(), lines.end());
  return lines;
}

TEST(FftwWisdom, OfOneProcessIsLearntByAnother) {
  WEFT_NEED_FFTW()
  const FftwLibrary library = load_fftw(test_support::installed_fftw);
  const auto fftw = engine_of(library);
  forget();
  const auto nothing = sorted_lines(fftw->learnt(Precision::f64));
  fftw->lines(
      {.length = 60, .count = 3, .in_pitch = 60, .out_pitch = 60, .effort = Effort::measure});
  const std::string text = fftw->learnt(Precision::f64);
  EXPECT_GT(sorted_lines(text).size(), nothing.size()) << text;
  forget();
  EXPECT_EQ(sorted_lines(fftw->learnt(Precision::f64)), nothing);
  fftw->learn(Precision::f64, text);
  EXPECT_EQ(sorted_lines(fftw->learnt(Precision::f64)), sorted_lines(text));
}

TEST(FftwWisdom, OfAnotherVersionIsRefused) {
  WEFT_NEED_FFTW()
  const FftwLibrary library = load_fftw(test_support::installed_fftw);
  const auto fftw = engine_of(library);
  std::string text = fftw->learnt(Precision::f64);
  const auto version = text.find("fftw-3");
  ASSERT_NE(version, std::string::npos) << text;
  text.replace(version, 6, "fftw-2");
  expect_error(ErrorCode::invalid_argument,
               {"same version", library.of(Precision::f64).version, "refuses", "plan without it"},
               [&] { fftw->learn(Precision::f64, text); });
}

TEST(FftwWisdom, NeedsALibraryThatHasIt) {
  WEFT_NEED_FFTW()
  const FftwLibrary library = load_fftw(WEFT_FFTW_WITHOUT_PLANS);
  const auto fftw = engine_of(library);
  EXPECT_EQ(fftw->learnt(Precision::f64), "");
  expect_error(ErrorCode::invalid_argument,
               {"wisdom needs a library", "fftw-with-faults", "plan without it"},
               [&] { fftw->learn(Precision::f64, "(fftw-3.3.10 fftw_wisdom)"); });
}

}  // namespace
}  // namespace weft::kernel
