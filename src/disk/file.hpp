#pragma once

#include <cstdint>
#include <string>
#include <utility>

namespace weft::disk {

/// Direct transfers move whole blocks of so many bytes, to and from memory that is aligned to them.
constexpr std::int64_t block_bytes = 4096;

/// A file without a name, for data that nobody needs once the process has ended.
///
/// Whole blocks pass the system's memory by where the file system allows it: weft knows better what
/// it will need again, and a file is larger than memory. What lies on no whole block, or in memory
/// that is not aligned to blocks, goes through the system's memory.
///
/// Thread-safe, but for two transfers that touch one block, one of them a write.
/// Errors  io_failure that names the directory and the system's reason.
class File {
 public:
  /// An empty file on the disk of a directory. It never has a name or loses it at once, so that it
  /// is gone however the process ends.
  /// Errors  invalid_argument for a path that no directory can have.
  explicit File(const std::string& directory);
  File(File&& other) noexcept
      : directory_(std::move(other.directory_)),
        buffered_(std::exchange(other.buffered_, -1)),
        direct_(std::exchange(other.direct_, -1)) {}
  File& operator=(File&&) = delete;
  File(const File&) = delete;
  File& operator=(const File&) = delete;
  ~File();

  const std::string& directory() const { return directory_; }
  /// Whether whole blocks pass the system's memory by.
  bool is_direct() const { return direct_ >= 0; }
  /// What the disk has left for this user.
  std::int64_t free_bytes() const;

  /// All of the bytes. To read beyond the end is an error.
  void read(std::int64_t offset, void* memory, std::int64_t bytes) const;
  void write(std::int64_t offset, const void* memory, std::int64_t bytes) const;
  /// Returns when all that was written is on the disk.
  void flush() const;
  /// Has the system forget what it holds of the file in its memory, as far as it is on the disk.
  void forget() const;

 private:
  template <class Call>
  void transfer(const char* what, Call&& call, std::int64_t offset, char* memory,
                std::int64_t bytes) const;
  [[noreturn]] void fail(const std::string& what) const;
  void open_nameless();
  void open_direct();

  std::string directory_;
  int buffered_ = -1;  ///< a descriptor for anything
  int direct_ = -1;    ///< another one, for whole blocks; -1: the file system has none
};

}  // namespace weft::disk
