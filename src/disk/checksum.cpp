#include "disk/checksum.hpp"

#include <array>
#include <cstring>

#ifdef __x86_64__
#include <nmmintrin.h>
#endif

namespace weft::disk {
namespace {

/// The polynomial 0x1EDC6F41 with its bits reversed.
constexpr std::uint32_t polynomial = 0x82F63B78;

/// The effect of each byte on a remainder.
constexpr std::array<std::uint32_t, 256> table = [] {
  std::array<std::uint32_t, 256> effects{};
  for (std::uint32_t byte = 0; byte < 256; ++byte) {
    std::uint32_t remainder = byte;
    for (int bit = 0; bit < 8; ++bit)
      remainder = remainder >> 1 ^ ((remainder & 1) != 0 ? polynomial : 0U);
    effects[byte] = remainder;
  }
  return effects;
}();

std::uint32_t by_table(const void* memory, std::int64_t bytes, std::uint32_t remainder) {
  const auto* at = static_cast<const unsigned char*>(memory);
  for (; bytes > 0; --bytes, ++at) remainder = remainder >> 8 ^ table[(remainder ^ *at) & 0xFF];
  return remainder;
}

#ifdef __x86_64__
__attribute__((target("sse4.2"))) std::uint32_t by_instruction(const void* memory,
                                                               std::int64_t bytes,
                                                               std::uint32_t start) {
  const auto* at = static_cast<const unsigned char*>(memory);
  std::uint64_t remainder = start;
  for (; bytes >= 8; bytes -= 8, at += 8) {
    std::uint64_t word = 0;
    std::memcpy(&word, at, sizeof word);
    remainder = _mm_crc32_u64(remainder, word);
  }
  auto last = static_cast<std::uint32_t>(remainder);
  for (; bytes > 0; --bytes, ++at) last = _mm_crc32_u8(last, *at);
  return last;
}
#endif

/// Returns the remainder after these bytes. `start` is the remainder of the bytes before.
std::uint32_t remainder_of(const void* memory, std::int64_t bytes, std::uint32_t start) {
#ifdef __x86_64__
  static const bool has_instruction = __builtin_cpu_supports("sse4.2") != 0;
  if (has_instruction) return by_instruction(memory, bytes, start);
#endif
  return by_table(memory, bytes, start);
}

constexpr std::uint32_t start_of_all = 0xFFFFFFFF;
/// The polynomials 1 and x. The highest bit is the coefficient of the lowest power.
constexpr std::uint32_t one = std::uint32_t{1} << 31;
constexpr std::uint32_t x = std::uint32_t{1} << 30;

/// Returns a * b modulo the polynomial.
constexpr std::uint32_t product(std::uint32_t a, std::uint32_t b) {
  std::uint32_t sum = 0;
  for (; a != 0; a <<= 1) {
    if ((a & one) != 0) sum ^= b;
    b = b >> 1 ^ ((b & 1) != 0 ? polynomial : 0U);
  }
  return sum;
}

/// x to the powers 8, 16, 32, ...: entry k appends 2^k bytes of zeros.
constexpr std::array<std::uint32_t, 60> zeros = [] {
  std::array<std::uint32_t, 60> powers{};
  std::uint32_t power = x;
  for (int k = 0; k < 3; ++k) power = product(power, power);
  for (std::uint32_t& each : powers) {
    each = power;
    power = product(power, power);
  }
  return powers;
}();

/// Returns the remainder of bytes followed by `bytes` zero bytes.
std::uint32_t followed_by_zeros(std::uint32_t remainder, std::int64_t bytes) {
  for (std::size_t k = 0; bytes != 0; bytes >>= 1, ++k)
    if ((bytes & 1) != 0) remainder = product(remainder, zeros.at(k));
  return remainder;
}

}  // namespace

std::uint32_t crc32c(const void* memory, std::int64_t bytes) {
  return ~remainder_of(memory, bytes, start_of_all);
}

std::uint32_t crc32c_by_table(const void* memory, std::int64_t bytes) {
  return ~by_table(memory, bytes, start_of_all);
}

void SumOfPieces::add(const void* memory, std::int64_t bytes, std::int64_t after) {
  remainder_ ^= followed_by_zeros(remainder_of(memory, bytes, 0), after);
}

std::uint32_t SumOfPieces::sum(std::int64_t bytes) const {
  return ~(remainder_ ^ followed_by_zeros(start_of_all, bytes));
}

}  // namespace weft::disk
