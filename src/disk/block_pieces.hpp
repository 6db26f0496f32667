#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <unordered_map>

#include "disk/checksum.hpp"

namespace weft::disk {

/// Checksums of blocks that are read or written in pieces. The checksum of a block is known when
/// each of its bytes has been seen once. The pieces may come in any order. Pieces of other blocks
/// may come in between.
///
/// Memory  about 200 bytes for each incomplete block, of which there are at most `most_blocks`;
///         further blocks are ignored.
class BlockPieces {
 public:
  static constexpr std::size_t most_blocks = std::size_t{1} << 18;

  /// A complete block. It has the checksum that was expected when its first piece came (0 if
  /// unknown), and the checksum of its bytes.
  struct Complete {
    std::uint32_t expected = 0;
    std::uint32_t sum = 0;
  };

  /// Adds a piece that begins `within` bytes after the start of its block of `length` bytes. If
  /// some bytes of the piece were seen before, the block starts again with this piece. Returns the
  /// checksums if the block is now complete.
  std::optional<Complete> add(std::int64_t block, std::int64_t within, const std::byte* memory,
                              std::int64_t bytes, std::int64_t length, std::uint32_t expected);
  void drop(std::int64_t block) { blocks_.erase(block); }
  /// Notes a write. If it changes bytes that were not seen yet, the block is dropped, because the
  /// expected checksum belongs to the old contents. Bytes that were already seen may change, as in
  /// transforms in place.
  void note_write(std::int64_t block, std::int64_t within, std::int64_t bytes);

 private:
  struct Seen {
    std::uint32_t expected = 0;
    SumOfPieces sum;
    std::map<std::int64_t, std::int64_t> parts;  ///< end of each range of seen bytes; the key is
                                                 ///< its start
  };

  std::unordered_map<std::int64_t, Seen> blocks_;
};

}  // namespace weft::disk
