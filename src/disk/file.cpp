#include "disk/file.hpp"

#include <fcntl.h>
#include <sys/statvfs.h>
#include <sys/vfs.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <limits>

#include <weft/error.hpp>

namespace weft::disk {
namespace {

/// A file system in memory says yes to O_DIRECT and has nothing to pass by.
constexpr auto tmpfs = 0x01021994;

bool is_whole(std::int64_t number) { return number % block_bytes == 0; }

void require_path(const std::string& directory) {
  if (directory.empty() || directory.find('\0') != std::string::npos)
    throw Error(ErrorCode::invalid_argument,
                "the path of a directory must have letters and no zero byte; given \"" +
                    std::string(directory.c_str()) + "\"");
}

/// A file that has a name for a moment, for file systems that cannot do without.
int open_and_unlink(const std::string& directory) {
  std::string path = directory + "/.weft-XXXXXX";
  const int descriptor = mkostemp(path.data(), O_CLOEXEC);
  if (descriptor >= 0) unlink(path.c_str());
  return descriptor;
}

/// Some file systems open a file for direct transfers and then refuse them.
bool transfers_direct(int descriptor) {
  alignas(block_bytes) std::array<char, block_bytes> block{};
  const bool works = pwrite(descriptor, block.data(), block.size(), 0) == block_bytes &&
                     pread(descriptor, block.data(), block.size(), 0) == block_bytes;
  return works && ftruncate(descriptor, 0) == 0;
}

}  // namespace

File::File(const std::string& directory) : directory_(directory) {
  require_path(directory);
  open_nameless();
  open_direct();
}

File::~File() {
  if (direct_ >= 0) close(direct_);
  if (buffered_ >= 0) close(buffered_);
}

void File::open_nameless() {
  buffered_ = open(directory_.c_str(), O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
  if (buffered_ < 0) buffered_ = open_and_unlink(directory_);
  if (buffered_ < 0) fail("no file can be made in this directory");
}

/// Opens the same file once more: what a descriptor does to whole blocks it does to all bytes.
void File::open_direct() {
  struct statfs system {};
  if (fstatfs(buffered_, &system) != 0 || system.f_type == tmpfs) return;
  const std::string again = "/proc/self/fd/" + std::to_string(buffered_);
  direct_ = open(again.c_str(), O_RDWR | O_DIRECT | O_CLOEXEC);
  if (direct_ < 0 || transfers_direct(direct_)) return;
  close(direct_);
  direct_ = -1;
}

std::int64_t File::free_bytes() const {
  struct statvfs disk {};
  if (fstatvfs(buffered_, &disk) != 0) fail("the system does not tell what is free on its disk");
  return static_cast<std::int64_t>(std::min<std::uint64_t>(
      std::uint64_t{disk.f_bavail} * disk.f_frsize, std::numeric_limits<std::int64_t>::max()));
}

template <class Call>
void File::transfer(const char* what, Call&& call, std::int64_t offset, char* memory,
                    std::int64_t bytes) const {
  while (bytes > 0) {
    const bool direct =
        is_direct() && is_whole(offset) && bytes >= block_bytes &&
        is_whole(static_cast<std::int64_t>(reinterpret_cast<std::uintptr_t>(memory)));
    const std::int64_t asked = direct ? bytes - bytes % block_bytes : bytes;
    const ssize_t done =
        call(direct ? direct_ : buffered_, memory, static_cast<std::size_t>(asked), offset);
    if (done < 0 && errno == EINTR) continue;
    if (done < 0) fail("a file on its disk cannot be " + std::string(what));
    if (done == 0)
      throw Error(ErrorCode::io_failure, directory_ + ": a file on its disk ends before byte " +
                                             std::to_string(offset + bytes) + ", which was to be " +
                                             what + "; it ends at " + std::to_string(offset));
    memory += done;
    offset += done;
    bytes -= done;
  }
}

void File::read(std::int64_t offset, void* memory, std::int64_t bytes) const {
  transfer("read", pread, offset, static_cast<char*>(memory), bytes);
}

void File::write(std::int64_t offset, const void* memory, std::int64_t bytes) const {
  transfer("written", pwrite, offset, static_cast<char*>(const_cast<void*>(memory)), bytes);
}

void File::flush() const {
  if (fdatasync(buffered_) != 0) fail("a file cannot be brought to its disk");
}

void File::forget() const {
  // A system that does not listen is slower or faster for it, never wrong.
  (void)posix_fadvise(buffered_, 0, 0, POSIX_FADV_DONTNEED);
}

void File::fail(const std::string& what) const {
  const int reason = errno;
  throw Error(ErrorCode::io_failure, directory_ + ": " + what + ": " + std::strerror(reason) +
                                         "; name a directory that you may write in, on a disk that "
                                         "has room");
}

}  // namespace weft::disk
