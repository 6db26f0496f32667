#include "kernel/transpose.hpp"

#include <gtest/gtest.h>
#if defined(__x86_64__)
#include <cpuid.h>
#endif

#include <cstring>
#include <string>
#include <vector>

namespace weft::kernel {
namespace {

struct Case {
  const char* instructions;
  std::int64_t element_bytes;
  Stores stores;
  bool far_target;
};

/// In matrices of up to 8 x 8 elements, every byte identifies its row and column. In larger ones
/// values repeat.
unsigned char byte_of(std::int64_t row, std::int64_t column, std::int64_t byte) {
  return static_cast<unsigned char>(row * 37 + column * 5 + byte * 101 + 1);
}

class KernelTranspose : public testing::TestWithParam<Case> {
 protected:
  void SetUp() override { limit_transpose_instructions(GetParam().instructions); }
  void TearDown() override { limit_transpose_instructions(nullptr); }

  /// Compares a transpose with its definition, and the gaps of the target with their old contents.
  static void check(std::int64_t rows, std::int64_t columns, std::int64_t gap, std::int64_t shift) {
    const Case& c = GetParam();
    const std::int64_t size = c.element_bytes;
    const Transpose t{rows, columns, columns + gap, rows + gap};
    std::vector<unsigned char> src_memory(
        static_cast<std::size_t>(rows * t.src_pitch * size + 128));
    std::vector<unsigned char> dst_memory(
        static_cast<std::size_t>(columns * t.dst_pitch * size + 128), 0xee);
    auto aligned = [](std::vector<unsigned char>& memory) {
      const auto address = reinterpret_cast<std::uintptr_t>(memory.data());
      return memory.data() + (64 - address % 64) % 64;
    };
    unsigned char* src = aligned(src_memory) + shift;
    unsigned char* dst = aligned(dst_memory) + shift;
    for (std::int64_t i = 0; i < rows; ++i)
      for (std::int64_t j = 0; j < columns; ++j)
        for (std::int64_t b = 0; b < size; ++b)
          src[(i * t.src_pitch + j) * size + b] = byte_of(i, j, b);
    transpose(dst, src, t, size, c.stores, c.far_target);
    finish_streaming();
    for (std::int64_t j = 0; j < columns; ++j)
      for (std::int64_t i = 0; i < t.dst_pitch; ++i)
        for (std::int64_t b = 0; b < size; ++b) {
          const unsigned char expected = i < rows ? byte_of(i, j, b) : 0xee;
          ASSERT_EQ(int{dst[(j * t.dst_pitch + i) * size + b]}, int{expected})
              << rows << " x " << columns << ", gap " << gap << ", row " << i << ", column " << j;
        }
  }
};

TEST_P(KernelTranspose, moves_every_element_and_nothing_else) {
  for (const std::int64_t rows : {1, 3, 4, 8, 13, 32, 70, 150})
    for (const std::int64_t columns : {1, 2, 5, 8, 16, 31, 64, 67})
      for (const std::int64_t gap : {0, 4, 5}) check(rows, columns, gap, 0);
}

TEST_P(KernelTranspose, arrays_may_be_unaligned) { check(33, 47, 3, 8); }

std::vector<Case> all_cases() {
  std::vector<Case> cases;
  for (const char* instructions : {"portable", "avx2", "avx512"})
    for (const std::int64_t bytes : {4, 8, 12, 16, 32})
      for (const Stores stores : {Stores::cached, Stores::streaming})
        for (const bool far : {false, true}) cases.push_back({instructions, bytes, stores, far});
  return cases;
}

std::string name_of(const testing::TestParamInfo<Case>& info) {
  const Case& c = info.param;
  return std::string(c.instructions) + "_" + std::to_string(c.element_bytes) +
         (c.stores == Stores::streaming ? "_streaming" : "_cached") +
         (c.far_target ? "_far_target" : "_far_source");
}

#if defined(__x86_64__)

/// Returns a bit for each part of the registers that is in use (XGETBV with ecx = 1).
std::uint32_t parts_in_use() {
  std::uint32_t low = 0;
  std::uint32_t high = 0;
  asm volatile("xgetbv" : "=a"(low), "=d"(high) : "c"(1));
  return low;
}

bool processor_reports_parts_in_use() {
  std::uint32_t a = 0, b = 0, c = 0, d = 0;
  return __get_cpuid_count(0xd, 1, &a, &b, &c, &d) != 0 && (a & 4U) != 0;
}

/// If the upper halves of registers are in use, later SSE instructions are slow on some processors.
/// After such a transpose, FFTW's lines of prime length took 3.6 times as long as otherwise.
TEST_P(KernelTranspose, upper_halves_of_registers_are_left_clear) {
  constexpr std::uint32_t upper_halves = 4;
  if (!processor_reports_parts_in_use())
    GTEST_SKIP() << "this processor does not report the parts of registers in use";
  const Case& c = GetParam();
  alignas(64) unsigned char src[32 * 32 * 32] = {};
  alignas(64) unsigned char dst[32 * 32 * 32];
  for (std::size_t i = 0; i < sizeof src; ++i) src[i] = static_cast<unsigned char>(i | 1U);
  transpose(dst, src, {32, 32, 32, 32}, c.element_bytes, c.stores, c.far_target);
  const std::uint32_t after_transpose = parts_in_use();
  copy_row(dst, src, 1920, c.stores);
  const std::uint32_t after_copy = parts_in_use();
  EXPECT_EQ(after_transpose & upper_halves, 0U);
  EXPECT_EQ(after_copy & upper_halves, 0U);
}

#endif

INSTANTIATE_TEST_SUITE_P(All, KernelTranspose, testing::ValuesIn(all_cases()), name_of);

TEST(KernelCopyRow, copies_any_length_at_any_alignment) {
  std::vector<unsigned char> src(2000);
  for (std::size_t i = 0; i < src.size(); ++i) src[i] = static_cast<unsigned char>(i * 7 + 1);
  for (const Stores stores : {Stores::cached, Stores::streaming})
    for (const std::int64_t bytes : {0, 1, 63, 255, 256, 319, 1000, 1900})
      for (const std::int64_t shift : {0, 1, 16, 63}) {
        std::vector<unsigned char> dst(2100, 0xee);
        copy_row(dst.data() + shift, src.data(), bytes, stores);
        finish_streaming();
        EXPECT_EQ(std::memcmp(dst.data() + shift, src.data(), static_cast<std::size_t>(bytes)), 0);
        EXPECT_EQ(int{dst[static_cast<std::size_t>(shift + bytes)]}, 0xee) << bytes << " " << shift;
        for (std::int64_t before = 0; before < shift; ++before)
          EXPECT_EQ(int{dst[static_cast<std::size_t>(before)]}, 0xee) << bytes << " " << shift;
      }
}

}  // namespace
}  // namespace weft::kernel
