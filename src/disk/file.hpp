#pragma once

#include <cstdint>
#include <string>

#include "disk/open_file.hpp"

namespace weft::disk {

/// A file without a name, for data of this process only. Each call makes one transfer and waits for
/// its end. See OpenFile.
///
/// Thread-safe, except for two transfers that access the same bytes, one of them a write.
/// Errors  io_failure that names the directory and the system's reason.
class File {
 public:
  /// Creates an empty file on the disk of a directory.
  /// Errors  invalid_argument for a path that no directory can have.
  explicit File(const std::string& directory)
      : directory_(directory), file_(open_nameless(directory)) {}

  const std::string& directory() const { return directory_; }
  /// Returns whether whole blocks bypass the page cache.
  bool is_direct() const { return file_.is_direct(); }
  /// Returns the free bytes of the disk for this user.
  std::int64_t free_bytes() const { return file_.free_bytes(); }

  /// Transfers all of the bytes. A read beyond the end is an error.
  void read(std::int64_t offset, void* memory, std::int64_t bytes) const {
    file_.read(offset, memory, bytes);
  }
  void write(std::int64_t offset, const void* memory, std::int64_t bytes) const {
    file_.write(offset, memory, bytes);
  }
  /// Returns when all writes are on the disk.
  void flush() const { file_.flush(); }
  /// Drops the parts of the file that are on the disk from the page cache.
  void forget() const { file_.forget(); }

 private:
  std::string directory_;
  OpenFile file_;
};

}  // namespace weft::disk
