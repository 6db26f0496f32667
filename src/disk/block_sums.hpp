#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace weft::disk {

/// The known checksums of the blocks of a set, and the file of these checksums.
///
/// A block has a checksum if it was written as a whole, at once or in pieces that do not overlap.
/// While blocks change, the file does not exist, so it never contradicts the disks. The first
/// change removes the file, and save() writes it again. Memory: 4 bytes for each block.
class BlockSums {
 public:
  /// Reads the file. If there is no file, no checksum is known.
  /// Errors  io_failure if the file is damaged. The message names the file and the remedy.
  BlockSums(std::string path, std::int64_t blocks);

  bool is_known(std::int64_t block) const { return at(block) != 0; }
  /// Must be called before the bytes of a block change. Removes the file.
  void forget(std::int64_t block);
  std::uint32_t known(std::int64_t block) const { return at(block); }  ///< 0: not known
  /// Sets the checksum from the bytes of the whole block.
  void set(std::int64_t block, const std::byte* memory, std::int64_t bytes);
  /// Sets the checksum to `sum`, the crc32c of the whole block.
  void set(std::int64_t block, std::uint32_t sum);
  /// Returns whether bytes have the checksum of the block. Returns true if the checksum is not
  /// known.
  bool agrees(std::int64_t block, const std::byte* memory, std::int64_t bytes) const;
  /// Returns whether `sum` agrees with the stored checksum `known`. Returns true if `known` is 0.
  static bool agrees(std::uint32_t known, std::uint32_t sum);
  /// Returns the checksums of all blocks, 0 if not known. The caller may change them: if several
  /// processes write blocks of one set, one process saves the checksums of all.
  std::vector<std::uint32_t>& all() {
    changed_ = true;
    return sums_;
  }
  /// Replaces the file atomically. Errors  io_failure.
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
