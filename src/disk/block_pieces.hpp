#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <unordered_map>

#include "disk/checksum.hpp"

namespace weft::disk {

/// Blocks that are read, or written, in pieces: their checksums when all bytes of one have been seen
/// once, whatever the order and whatever comes between.
///
/// Memory  about 200 bytes for each block that is not complete, of which there are at most
///         `most_blocks`; those beyond are not looked at.
class BlockPieces {
 public:
  static constexpr std::size_t most_blocks = std::size_t{1} << 18;

  /// What a block's bytes were to have as their checksum when its first piece came, 0 if that was not
  /// known; and what they have.
  struct Complete {
    std::uint32_t expected = 0;
    std::uint32_t sum = 0;
  };

  /// A piece that begins `within` bytes behind the start of its block of `length` bytes. One that has
  /// bytes which were seen before begins the block anew.
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
    std::map<std::int64_t, std::int64_t> parts;  ///< where stretches begin, and where they end
  };

  std::unordered_map<std::int64_t, Seen> blocks_;
};

}  // namespace weft::disk
