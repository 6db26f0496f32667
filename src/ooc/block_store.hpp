#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace weft::ooc {

/// Which block: the disk, and its number on that disk, from 0 on.
struct BlockPlace {
  std::int64_t disk = 0;
  std::int64_t stripe = 0;
  friend bool operator==(const BlockPlace&, const BlockPlace&) = default;
};

/// One array of N records on D disks, in blocks of B records: what passes read and write. Files
/// stand behind it, or memory in tests.
class BlockStore {
 public:
  virtual ~BlockStore() = default;

  /// One parallel I/O: block k of `memory` is read from places[k], all places on different disks.
  ///
  /// Shapes  memory.size() == places.size() blocks; at most D places.
  /// Errors  Error(io_failure) if a disk fails; Error(internal) if a rule above is broken.
  virtual void read(std::span<const BlockPlace> places, std::span<std::byte> memory) = 0;

  /// One parallel I/O in the other direction.
  virtual void write(std::span<const BlockPlace> places, std::span<const std::byte> memory) = 0;
};

}  // namespace weft::ooc
