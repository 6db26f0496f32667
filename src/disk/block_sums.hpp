#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace weft::disk {

/// The checksum of each block of a set, as far as it is known, and the file that keeps them.
///
/// A block that was not written as a whole, at once or in pieces that do not overlap, has none.
/// While blocks change, there is no file, so that it never speaks of other contents than the disks
/// have: the first change removes it, save() makes it anew. Costs 4 bytes of memory for each block.
class BlockSums {
 public:
  /// Reads the file; where there is none, nothing is known.
  /// Errors  io_failure that names the file and the remedy, where it is damaged.
  BlockSums(std::string path, std::int64_t blocks);

  bool is_known(std::int64_t block) const { return at(block) != 0; }
  /// Before the block's bytes change; removes the file.
  void forget(std::int64_t block);
  std::uint32_t known(std::int64_t block) const { return at(block); }  ///< 0: not known
  /// The bytes are those of the whole block.
  void set(std::int64_t block, const std::byte* memory, std::int64_t bytes);
  /// As set(), of crc32c of the whole block.
  void set(std::int64_t block, std::uint32_t sum);
  /// Whether bytes are those that set() was given; true where nothing is known.
  bool agrees(std::int64_t block, const std::byte* memory, std::int64_t bytes) const;
  /// Whether `sum` is that of bytes with the checksum `known`; true where that is 0.
  static bool agrees(std::uint32_t known, std::uint32_t sum);
  /// Those of all blocks, 0 where nothing is known, to be changed by whoever knows more: of several
  /// processes that write blocks of one set one saves the sums of all.
  std::vector<std::uint32_t>& all() {
    changed_ = true;
    return sums_;
  }
  /// Writes the file, as a whole or not at all. Errors  io_failure.
  void save();

 private:
  std::uint32_t at(std::int64_t block) const { return sums_[static_cast<std::size_t>(block)]; }
  void read();
  void remove_file() const;

  std::string path_;
  std::vector<std::uint32_t> sums_;  ///< 0: not known
  bool changed_ = false;
};

}  // namespace weft::disk
