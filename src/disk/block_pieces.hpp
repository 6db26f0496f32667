#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <unordered_map>

#include "disk/checksum.hpp"

namespace weft::disk {

/// Checksums of blocks that are read or written in pieces. A block's checksum is known when each of
/// its bytes has been seen once, in any order and with any other blocks in between.
///
/// Memory  about 200 bytes for each incomplete block, of which there are at most `most_blocks`;
///         further blocks are ignored.
class BlockPieces {
 public:
  static constexpr std::size_t most_blocks = std::size_t{1} << 18;

  /// A complete block: the checksum that was expected when its first piece came, 0 if unknown, and
  /// the checksum of its bytes.
  struct Complete {
    std::uint32_t expected = 0;
    std::uint32_t sum = 0;
  };

  /// Adds a piece that begins `within` bytes after the start of its block of `length` bytes. A
  /// piece with bytes that were seen before starts the block again.
  std::optional<Complete> add(std::int64_t block, std::int64_t within, const std::byte* memory,
                              std::int64_t bytes, std::int64_t length, std::uint32_t expected);
  void drop(std::int64_t block) { blocks_.erase(block); }
  /// Drops the block if a write changes bytes that were not seen before: the expected checksum then
  /// belongs to contents that no later piece has. Bytes that were seen may change, as in place.
  void note_write(std::int64_t block, std::int64_t within, std::int64_t bytes);

 private:
  struct Seen {
    std::uint32_t expected = 0;
    SumOfPieces sum;
    std::map<std::int64_t, std::int64_t> parts;  ///< end of each seen stretch, by its start
  };

  std::unordered_map<std::int64_t, Seen> blocks_;
};

}  // namespace weft::disk
