#pragma once

#include <cstdint>
#include <string>
#include <utility>

namespace weft::disk {

/// An open file with one or two descriptors. The first is for transfers through the page cache. If
/// the file system allows direct transfers, which bypass the page cache, the second is for them.
/// The page cache does not help, because large files do not fit in it, and weft knows better which
/// data it needs again.
///
/// A direct transfer moves whole granules from or to aligned memory. A granule is at least a page.
/// All other transfers go through the page cache. So both methods access the same page at the same
/// time only if two transfers access the same bytes. The system keeps both methods coherent page by
/// page.
///
/// Thread-safe, except for two transfers that access the same bytes, one of them a write.
/// Errors  io_failure that names the file, the attempt and the system's reason.
class OpenFile {
 public:
  /// Takes over an open descriptor. `name` is the file's name in messages.
  OpenFile(std::string name, int descriptor);
  /// Returns a file that only another rank opens. Any transfer of this rank fails.
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
  /// The descriptor for direct transfers; -1 if there is none.
  int direct() const { return direct_; }
  /// Sends all further transfers through the page cache.
  void close_direct();

  std::int64_t bytes() const;
  /// Returns the free bytes of the disk for this user.
  std::int64_t free_bytes() const;
  /// Sets the file's length and reserves its space, so that a full disk is noticed before hours of
  /// work. On a file system that cannot reserve, a full disk is noticed when the file is written.
  void reserve(std::int64_t bytes) const;
  /// Transfers all of the bytes. A read beyond the end is an error.
  void read(std::int64_t offset, void* memory, std::int64_t bytes) const;
  void write(std::int64_t offset, const void* memory, std::int64_t bytes) const;
  /// Returns when all writes are on the disk.
  void flush() const;
  /// Drops the parts of the file that are on the disk from the page cache.
  void forget() const;

  /// Throws io_failure with the file, the attempt, the system's reason for this error number, and
  /// the remedy.
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

/// Returns the remedy for an error number of the system, as the end of a message.
std::string remedy(int reason);

/// Errors  invalid_argument for an impossible path; `what` is "directory" or "file".
void require_path(const std::string& path, const std::string& what);

/// Opens an empty file on the disk of a directory. The file has no name, or loses it immediately.
/// So it never outlives the process.
OpenFile open_nameless(const std::string& directory);

enum class Mode { read, write };

/// Opens an existing file. Mode::write also allows reads.
OpenFile open_data_file(const std::string& path, Mode mode);

/// Creates a file of `bytes` zero bytes with reserved space.
///
/// Errors  io_failure if the file exists, or if the disk has too little room. No new file is left
///         then.
OpenFile create_data_file(const std::string& path, std::int64_t bytes);

}  // namespace weft::disk
