#pragma once

#include <cstdint>
#include <string>
#include <utility>

namespace weft::disk {

/// An open file twice: a descriptor for anything, and where the file system allows it one for
/// transfers that pass the system's memory by. weft knows better what it will need again, and a
/// file is larger than memory.
///
/// What lies on no whole granule, or in memory that is not aligned, goes through the system's
/// memory. A granule is at least a page, so that no page is ever reached both ways at once unless
/// two transfers touch the same bytes: the system keeps the two ways coherent page by page.
///
/// Thread-safe, but for two transfers that touch the same bytes, one of them a write.
/// Errors  io_failure that names the file, what was tried and the system's reason.
class OpenFile {
 public:
  /// Takes over an open descriptor. `name` is what messages call the file.
  OpenFile(std::string name, int descriptor);
  /// A file that another rank opens: any transfer fails.
  static OpenFile elsewhere(std::string name) { return OpenFile(std::move(name)); }
  OpenFile(OpenFile&& other) noexcept
      : name_(std::move(other.name_)),
        buffered_(std::exchange(other.buffered_, -1)),
        direct_(std::exchange(other.direct_, -1)),
        granule_bytes_(other.granule_bytes_),
        alignment_bytes_(other.alignment_bytes_) {}
  OpenFile& operator=(OpenFile&&) = delete;
  OpenFile(const OpenFile&) = delete;
  OpenFile& operator=(const OpenFile&) = delete;
  ~OpenFile();

  const std::string& name() const { return name_; }
  bool is_open() const { return buffered_ >= 0; }
  bool is_direct() const { return direct_ >= 0; }
  /// Direct transfers have offsets and lengths that are multiples of this.
  std::int64_t granule_bytes() const { return granule_bytes_; }
  /// Direct transfers have memory that is aligned to this.
  std::int64_t alignment_bytes() const { return alignment_bytes_; }
  int buffered() const { return buffered_; }
  /// -1 where there is none.
  int direct() const { return direct_; }
  /// From now on everything goes through the system's memory.
  void close_direct();

  std::int64_t bytes() const;
  /// What the disk has left for this user.
  std::int64_t free_bytes() const;
  /// Makes the file so long and takes its space, so that a full disk is noticed before hours of
  /// work. A file system that cannot reserve notices it while it is written.
  void reserve(std::int64_t bytes) const;
  /// All of the bytes. To read beyond the end is an error.
  void read(std::int64_t offset, void* memory, std::int64_t bytes) const;
  void write(std::int64_t offset, const void* memory, std::int64_t bytes) const;
  /// Returns when all that was written is on the disk.
  void flush() const;
  /// Has the system forget what it holds of the file in its memory, as far as it is on the disk.
  void forget() const;

  /// Throws io_failure: the file, what was tried, the reason of this number of the system's, and
  /// what to do about it.
  [[noreturn]] void fail(const std::string& what, int reason) const;

 private:
  explicit OpenFile(std::string name) : name_(std::move(name)) {}
  void open_direct();
  void ask_alignment();

  std::string name_;
  int buffered_ = -1;
  int direct_ = -1;
  std::int64_t granule_bytes_ = 0;
  std::int64_t alignment_bytes_ = 0;
};

/// What a user can do about an error number of the system's, as the end of a message.
std::string remedy(int reason);

/// Errors  invalid_argument for a path that nothing can have; `what` is "directory" or "file".
void require_path(const std::string& path, const std::string& what);

/// An empty file on the disk of a directory that never has a name or loses it at once, so that it
/// is gone however the process ends.
OpenFile open_nameless(const std::string& directory);

enum class Mode { read, write };

/// A file that is there. Mode::write reads as well.
OpenFile open_data_file(const std::string& path, Mode mode);

/// A new file of so many bytes, which are zero, with their space taken.
///
/// Errors  io_failure for a file that is there already, and where the disk has less room; nothing
///         is left behind.
OpenFile create_data_file(const std::string& path, std::int64_t bytes);

}  // namespace weft::disk
