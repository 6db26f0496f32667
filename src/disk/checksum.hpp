#pragma once

#include <cstdint>

namespace weft::disk {

/// CRC-32C (Castagnoli) of so many bytes: by the processor's instruction where it has one.
std::uint32_t crc32c(const void* memory, std::int64_t bytes);

/// Pieces of bytes whose CRC-32C is known piece by piece, in any order: the exclusive or of what all
/// of them, each with the bytes that come after it, add.
class SumOfPieces {
 public:
  /// `after`: bytes from the piece's end to the end of all.
  void add(const void* memory, std::int64_t bytes, std::int64_t after);
  /// crc32c of all, so many bytes.
  std::uint32_t sum(std::int64_t bytes) const;

 private:
  std::uint32_t remainder_ = 0;
};

/// crc32c by a table, for processors without. Apart from crc32c for tests.
std::uint32_t crc32c_by_table(const void* memory, std::int64_t bytes);

}  // namespace weft::disk
