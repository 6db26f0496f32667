#include "kernel/narrow.hpp"

#include <gtest/gtest.h>

#include <cstring>
#include <numeric>
#include <vector>

#include "kernel/sweep.hpp"

namespace weft::kernel {
namespace {

TEST(Narrow, NarrowsAndWidensLinesInPlace) {
  constexpr std::int64_t pitch = 13;  // doubles
  std::vector<double> lines(3 * pitch);
  for (std::size_t i = 0; i < lines.size(); ++i) lines[i] = 1.0 / (1.0 + static_cast<double>(i));
  std::vector<double> expected = lines;
  for (std::int64_t line = 0; line < 3; ++line)
    for (std::int64_t i = 0; i < 11; ++i) {
      double& value = expected[static_cast<std::size_t>(line * pitch + i)];
      value = static_cast<double>(static_cast<float>(value));
    }
  narrow_lines(lines.data(), 3, pitch * 8, 11);
  // A narrow line begins at the start of its wide line.
  float second_of_line_1 = 0;
  std::memcpy(&second_of_line_1, reinterpret_cast<char*>(lines.data() + pitch) + 4, 4);
  EXPECT_EQ(second_of_line_1, static_cast<float>(1.0 / (1.0 + pitch + 1)));
  widen_lines(lines.data(), 3, pitch * 8, 11);
  EXPECT_EQ(lines[11], expected[11]) << "the gap was written";
  for (std::int64_t line = 0; line < 3; ++line)
    for (std::int64_t i = 0; i < 11; ++i) {
      const auto at = static_cast<std::size_t>(line * pitch + i);
      EXPECT_EQ(lines[at], expected[at]) << line << ", " << i;
    }
}

/// Places differ in the width of their elements and in their strides. The copy converts the
/// elements.
TEST(Narrow, CopiesBetweenPlacesConvertElements) {
  const Box box = Box::whole({3, 4, 2});
  std::vector<double> source(48);
  std::iota(source.begin(), source.end(), 0.1);
  std::vector<float> between(48, -1);
  std::vector<double> back(48, -1);
  const Place wide{{{box, 0, 0, {8, 2, 1}}}, 16};
  const Place narrow{{{box, 1, 0, {1, 3, 12}}}, 8, true};
  const Place wide_again{{{box, 2, 0, {8, 2, 1}}}, 16};
  void* buffers[] = {source.data(), between.data(), back.data()};
  const MemoryTraffic narrowing =
      Sweep(box, {}, wide, narrow, {}).execute(buffers, Scratch({}, nullptr));
  const MemoryTraffic widening =
      Sweep(box, {}, narrow, wide_again, {}).execute(buffers, Scratch({}, nullptr));
  EXPECT_EQ(narrowing.read_bytes, 24 * 16);
  EXPECT_EQ(narrowing.written_bytes, 24 * 8);
  EXPECT_EQ(widening.read_bytes, 24 * 8);
  for (std::size_t i = 0; i < source.size(); ++i)
    EXPECT_EQ(back[i], static_cast<double>(static_cast<float>(source[i]))) << i;
  // Element (1, 0, 1) is at 1 + 12 of the narrow array.
  EXPECT_EQ(between[2 * 13], static_cast<float>(source[2 * (8 + 1)]));
}

}  // namespace
}  // namespace weft::kernel
