#pragma once

#include <cstdint>

namespace weft::disk {

/// Returns the CRC-32C (Castagnoli) of bytes, by the processor's instruction if it has one.
std::uint32_t crc32c(const void* memory, std::int64_t bytes);

/// CRC-32C of bytes that come in pieces, in any order. The result is the exclusive or of the
/// checksums of all pieces, each followed by zeros up to the end of the bytes.
class SumOfPieces {
 public:
  /// Adds a piece. `after` is the number of bytes that follow it.
  void add(const void* memory, std::int64_t bytes, std::int64_t after);
  /// Returns crc32c of all pieces, `bytes` bytes in total.
  std::uint32_t sum(std::int64_t bytes) const;

 private:
  std::uint32_t remainder_ = 0;
};

/// Returns crc32c by a table, for processors without the instruction. Separate from crc32c for
/// tests.
std::uint32_t crc32c_by_table(const void* memory, std::int64_t bytes);

}  // namespace weft::disk
