#include "disk/checksum.hpp"

#include <array>
#include <cstring>

#ifdef __x86_64__
#include <nmmintrin.h>
#endif

namespace weft::disk {
namespace {

/// What a byte does to a remainder, for the polynomial 0x1EDC6F41 with its bits reversed.
constexpr std::array<std::uint32_t, 256> table = [] {
  std::array<std::uint32_t, 256> made{};
  for (std::uint32_t byte = 0; byte < 256; ++byte) {
    std::uint32_t remainder = byte;
    for (int bit = 0; bit < 8; ++bit)
      remainder = remainder >> 1 ^ ((remainder & 1) != 0 ? 0x82F63B78U : 0U);
    made[byte] = remainder;
  }
  return made;
}();

#ifdef __x86_64__
__attribute__((target("sse4.2"))) std::uint32_t crc32c_by_instruction(const void* memory,
                                                                      std::int64_t bytes) {
  const auto* at = static_cast<const unsigned char*>(memory);
  std::uint64_t remainder = 0xFFFFFFFF;
  for (; bytes >= 8; bytes -= 8, at += 8) {
    std::uint64_t word = 0;
    std::memcpy(&word, at, sizeof word);
    remainder = _mm_crc32_u64(remainder, word);
  }
  auto last = static_cast<std::uint32_t>(remainder);
  for (; bytes > 0; --bytes, ++at) last = _mm_crc32_u8(last, *at);
  return ~last;
}
#endif

}  // namespace

std::uint32_t crc32c(const void* memory, std::int64_t bytes) {
#ifdef __x86_64__
  static const bool has_instruction = __builtin_cpu_supports("sse4.2") != 0;
  if (has_instruction) return crc32c_by_instruction(memory, bytes);
#endif
  return crc32c_by_table(memory, bytes);
}

std::uint32_t crc32c_by_table(const void* memory, std::int64_t bytes) {
  const auto* at = static_cast<const unsigned char*>(memory);
  std::uint32_t remainder = 0xFFFFFFFF;
  for (; bytes > 0; --bytes, ++at) remainder = remainder >> 8 ^ table[(remainder ^ *at) & 0xFF];
  return ~remainder;
}

}  // namespace weft::disk
