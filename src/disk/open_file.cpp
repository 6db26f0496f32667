#include "disk/open_file.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/vfs.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <limits>

#include <weft/error.hpp>

#include "base/direct_io.hpp"
#include "disk/access.hpp"

namespace weft::disk {
namespace {

/// Magic number of tmpfs. This file system in memory accepts O_DIRECT, but has no disk.
constexpr auto tmpfs = 0x01021994;

void perform_all(Access access) {
  while (!access.is_complete()) access.take(perform(access.next(), access.direction()));
}

/// Opens a file that has a name for a moment only, because some file systems need a name.
int open_and_unlink(const std::string& directory) {
  std::string path = directory + "/.weft-XXXXXX";
  const int descriptor = mkostemp(path.data(), O_CLOEXEC);
  if (descriptor >= 0) unlink(path.c_str());
  return descriptor;
}

/// Returns whether direct transfers work. Some file systems open a file for direct transfers and
/// then refuse them. The only test is to try with a file that is still empty.
bool transfers_direct(const OpenFile& file) {
  const auto granule = static_cast<std::size_t>(file.granule_bytes());
  void* const block = std::aligned_alloc(granule, granule);
  if (block == nullptr) return false;
  std::memset(block, 0, granule);
  const auto whole = static_cast<ssize_t>(granule);
  const bool works = pwrite(file.direct(), block, granule, 0) == whole &&
                     pread(file.direct(), block, granule, 0) == whole;
  std::free(block);
  return ftruncate(file.buffered(), 0) == 0 && works;
}

[[noreturn]] void refuse(const std::string& name, const std::string& what, int reason) {
  throw Error(ErrorCode::io_failure,
              name + ": " + what + ": " + std::strerror(reason) + "; " + remedy(reason));
}

void require_room(const OpenFile& file, std::int64_t bytes) {
  const std::int64_t free = file.free_bytes();
  if (bytes <= free) return;
  throw Error(ErrorCode::io_failure, file.name() + " needs " + std::to_string(bytes) +
                                         " bytes on its disk; it has " + std::to_string(free) +
                                         "; " + remedy(ENOSPC));
}

}  // namespace

std::string remedy(int reason) {
  switch (reason) {
    case ENOSPC:
    case EDQUOT:
      return "make room on its disk, or name a directory on another one that has room";
    case EFBIG:
      return "make room by raising the limit on file sizes (ulimit -f), or use another file system";
    case EACCES:
    case EPERM:
    case EROFS:
      return "name a directory or file that you may use, or change its permissions";
    case EMFILE:
    case ENFILE:
      return "raise the limit on open files (ulimit -n)";
    case EIO:
      return "check the disk: the system's log says more";
    default:
      return "name a directory that you may write in, or an existing file";
  }
}

void require_path(const std::string& path, const std::string& what) {
  if (!path.empty() && path.find('\0') == std::string::npos) return;
  throw Error(ErrorCode::invalid_argument,
              "the path of a " + what + " must have letters and no zero byte; given \"" +
                  std::string(path.c_str()) + "\"; name a file or a folder");
}

OpenFile::OpenFile(std::string name, int descriptor)
    : name_(std::move(name)), buffered_(descriptor) {
  granule_bytes_ = std::max<std::int64_t>(direct_io_alignment_bytes, sysconf(_SC_PAGESIZE));
  alignment_bytes_ = direct_io_alignment_bytes;
  open_direct();
}

OpenFile::~OpenFile() {
  close_direct();
  if (buffered_ >= 0) close(buffered_);
}

void OpenFile::close_direct() {
  if (direct_ >= 0) close(direct_);
  direct_ = -1;
}

/// Opens the same file a second time, because flags of a descriptor apply to all its transfers.
void OpenFile::open_direct() {
  struct statfs system {};
  if (fstatfs(buffered_, &system) != 0 || system.f_type == tmpfs) return;
  const int way = fcntl(buffered_, F_GETFL) & O_ACCMODE;
  const std::string again = "/proc/self/fd/" + std::to_string(buffered_);
  direct_ = open(again.c_str(), way | O_DIRECT | O_CLOEXEC);
  if (direct_ < 0) return;
  ask_alignment();
  // Without this advice, read-ahead at the edges would fill memory with data that direct transfers
  // read anyway.
  if (direct_ >= 0) (void)posix_fadvise(buffered_, 0, 0, POSIX_FADV_RANDOM);
}

void OpenFile::ask_alignment() {
#ifdef STATX_DIOALIGN
  struct statx reported {};
  if (statx(direct_, "", AT_EMPTY_PATH, STATX_DIOALIGN, &reported) != 0) return;
  if ((reported.stx_mask & STATX_DIOALIGN) == 0) return;
  if (reported.stx_dio_offset_align == 0) {
    close_direct();
    return;
  }
  granule_bytes_ = std::max<std::int64_t>(granule_bytes_, reported.stx_dio_offset_align);
  alignment_bytes_ = reported.stx_dio_mem_align;
#endif
}

std::int64_t OpenFile::bytes() const {
  struct stat there {};
  if (fstat(buffered_, &there) != 0) fail("the system does not report its length", errno);
  return there.st_size;
}

std::int64_t OpenFile::free_bytes() const {
  struct statvfs disk {};
  if (fstatvfs(buffered_, &disk) != 0)
    fail("the system does not report the free space of its disk", errno);
  return static_cast<std::int64_t>(std::min<std::uint64_t>(
      std::uint64_t{disk.f_bavail} * disk.f_frsize, std::numeric_limits<std::int64_t>::max()));
}

void OpenFile::reserve(std::int64_t bytes) const {
  if (bytes == 0) return;
  int reason = EINTR;
  while (reason == EINTR) reason = posix_fallocate(buffered_, 0, bytes);
  if (reason == EOPNOTSUPP || reason == EINVAL || reason == ENOSYS)
    reason = ftruncate(buffered_, bytes) == 0 ? 0 : errno;
  if (reason != 0) fail(std::to_string(bytes) + " bytes cannot be reserved for it", reason);
}

void OpenFile::read(std::int64_t offset, void* memory, std::int64_t bytes) const {
  perform_all(
      Access(*this, AccessDirection::read, offset, {{static_cast<std::byte*>(memory), bytes}}));
}

void OpenFile::write(std::int64_t offset, const void* memory, std::int64_t bytes) const {
  auto* const from = static_cast<std::byte*>(const_cast<void*>(memory));
  perform_all(Access(*this, AccessDirection::write, offset, {{from, bytes}}));
}

void OpenFile::flush() const {
  if (fdatasync(buffered_) != 0) fail("writes cannot be flushed to its disk", errno);
}

void OpenFile::forget() const {
  // If the system ignores this, only the speed changes.
  (void)posix_fadvise(buffered_, 0, 0, POSIX_FADV_DONTNEED);
}

void OpenFile::fail(const std::string& what, int reason) const { refuse(name_, what, reason); }

OpenFile open_nameless(const std::string& directory) {
  require_path(directory, "directory");
  int descriptor = open(directory.c_str(), O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
  if (descriptor < 0) descriptor = open_and_unlink(directory);
  if (descriptor < 0) refuse(directory, "no file can be made in this directory", errno);
  OpenFile file(directory + ": a file on its disk", descriptor);
  if (file.is_direct() && !transfers_direct(file)) file.close_direct();
  return file;
}

OpenFile open_data_file(const std::string& path, Mode mode) {
  require_path(path, "file");
  const int way = mode == Mode::read ? O_RDONLY : O_RDWR;
  // Without O_NONBLOCK open() would wait for the writer of a pipe.
  const int descriptor = open(path.c_str(), way | O_CLOEXEC | O_NONBLOCK);
  if (descriptor < 0) refuse(path, "this file cannot be opened", errno);
  OpenFile file(path, descriptor);
  struct stat there {};
  if (fstat(descriptor, &there) != 0 || !S_ISREG(there.st_mode))
    throw Error(ErrorCode::io_failure,
                path + " must be a regular file; it is a folder or a device; name a file");
  return file;
}

OpenFile create_data_file(const std::string& path, std::int64_t bytes) {
  require_path(path, "file");
  const int descriptor = open(path.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
  if (descriptor < 0) refuse(path, "this file cannot be made", errno);
  try {
    OpenFile file(path, descriptor);
    require_room(file, bytes);
    file.reserve(bytes);
    return file;
  } catch (...) {
    unlink(path.c_str());
    throw;
  }
}

}  // namespace weft::disk
