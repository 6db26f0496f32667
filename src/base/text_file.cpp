#include "base/text_file.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <filesystem>
#include <string_view>
#include <system_error>
#include <thread>
#include <utility>

#include <weft/error.hpp>

namespace weft {
namespace {

using Clock = std::chrono::steady_clock;

std::string reason() { return std::strerror(errno); }

[[noreturn]] void fail(const std::string& message) { throw Error(ErrorCode::io_failure, message); }

/// A descriptor that is closed at the end.
class OpenDescriptor {
 public:
  explicit OpenDescriptor(int number) : number_(number) {}
  OpenDescriptor(const OpenDescriptor&) = delete;
  OpenDescriptor& operator=(const OpenDescriptor&) = delete;
  ~OpenDescriptor() {
    if (number_ >= 0) close(number_);
  }
  int number() const { return number_; }
  bool is_open() const { return number_ >= 0; }

 private:
  int number_;
};

void require_path(const std::string& path) {
  if (path.empty() || path.find('\0') != std::string::npos)
    throw Error(ErrorCode::invalid_argument,
                "the path of a file must not be empty and must have no zero byte; given \"" +
                    std::string(path.c_str()) + "\"");
}

std::string read_all(int descriptor, const std::string& path, std::int64_t bytes_max) {
  std::string text;
  std::array<char, 1 << 16> part{};
  for (;;) {
    const ssize_t got = read(descriptor, part.data(), part.size());
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) fail(path + " cannot be read: " + reason() + "; check the file and its disk");
    if (got == 0) return text;
    text.append(part.data(), static_cast<std::size_t>(got));
    if (static_cast<std::int64_t>(text.size()) > bytes_max)
      fail(path + " must be at most " + std::to_string(bytes_max) +
           " bytes long; it has more; name another file");
  }
}

void write_all(int descriptor, std::string_view text, const std::string& path) {
  while (!text.empty()) {
    const ssize_t written = write(descriptor, text.data(), text.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0)
      fail(path + " cannot be written: " + reason() + "; check the disk, or name another file");
    text.remove_prefix(static_cast<std::size_t>(written));
  }
}

/// Returns the target of a symbolic link, existing or not, so that a file never replaces a link.
std::string behind_links(const std::string& path) {
  constexpr int most_links = 40;
  std::filesystem::path found = path;
  for (int i = 0; i < most_links; ++i) {
    std::error_code failed;
    const std::filesystem::path next = std::filesystem::read_symlink(found, failed);
    if (failed) return found.string();
    found = found.parent_path() / next;
  }
  fail(path + " is a symbolic link that leads nowhere; name a file");
}

/// Admits one process at a time, by an exclusive lock on a separate file, because the guarded file
/// is replaced. The holder removes the lock file. A process that waited on the removed file opens a
/// new one.
class FileLock {
 public:
  FileLock(std::string path, double wait_s) : path_(std::move(path)) {
    const auto end = Clock::now() + std::chrono::duration<double>(wait_s);
    while (!take()) {
      if (Clock::now() >= end)
        fail("another process holds " + path_ + " for more than " +
             std::to_string(static_cast<int>(wait_s)) + " s; end it, or name another file");
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
    }
  }
  FileLock(const FileLock&) = delete;
  FileLock& operator=(const FileLock&) = delete;
  ~FileLock() { unlink(path_.c_str()); }

 private:
  bool take() {
    if (!file_) open_file();
    if (flock(file_->number(), LOCK_EX | LOCK_NB) != 0) {
      if (errno == EWOULDBLOCK || errno == EINTR) return false;
      fail(path_ + " cannot be locked: " + reason() + "; name a file on another disk");
    }
    if (is_there()) return true;
    file_.reset();
    return false;
  }

  void open_file() {
    file_.emplace(open(path_.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0666));
    if (!file_->is_open())
      fail(path_ + " cannot be made: " + reason() + "; name a file in a folder that you may write");
  }

  /// Returns whether the locked file still has its name.
  bool is_there() const {
    struct stat mine {};
    struct stat there {};
    return fstat(file_->number(), &mine) == 0 && stat(path_.c_str(), &there) == 0 &&
           mine.st_ino == there.st_ino && mine.st_dev == there.st_dev;
  }

  std::string path_;
  std::optional<OpenDescriptor> file_;
};

/// A new file next to another, removed at the end unless it replaces the other.
class NewFile {
 public:
  explicit NewFile(const std::string& target)
      : target_(target),
        path_(target + "." + std::to_string(getpid()) + "-" +
              std::to_string(Clock::now().time_since_epoch().count())),
        descriptor_(open(path_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666)) {
    if (!descriptor_.is_open())
      fail(target_ + " cannot be written: " + reason() +
           "; name a file in a folder that you may write");
  }
  NewFile(const NewFile&) = delete;
  NewFile& operator=(const NewFile&) = delete;
  ~NewFile() {
    if (!path_.empty()) unlink(path_.c_str());
  }

  void fill(std::string_view text) {
    struct stat there {};
    if (stat(target_.c_str(), &there) == 0)
      (void)fchmod(descriptor_.number(), there.st_mode & 07777);
    write_all(descriptor_.number(), text, target_);
    if (fsync(descriptor_.number()) != 0)
      fail(target_ + " cannot be written: " + reason() + "; check the disk, or name another file");
  }

  void take_place() {
    if (rename(path_.c_str(), target_.c_str()) != 0)
      fail(target_ + " cannot be replaced: " + reason() + "; name another file");
    path_.clear();
    // Also writes the new name to the disk. If a folder cannot be synchronised, the system writes
    // the name later.
    const std::string folder = std::filesystem::path(target_).parent_path().string();
    const OpenDescriptor opened(open(folder.empty() ? "." : folder.c_str(), O_RDONLY | O_CLOEXEC));
    if (opened.is_open()) fsync(opened.number());
  }

 private:
  std::string target_;
  std::string path_;  ///< empty after the new file has replaced the target
  OpenDescriptor descriptor_;
};

/// Throws for a file that this process may not write, such as a read-only file. It must not be
/// replaced, whatever the folder allows.
void require_writable(const std::string& path) {
  if (faccessat(AT_FDCWD, path.c_str(), W_OK, AT_EACCESS) != 0)
    fail(path + " cannot be written: " + reason() + "; name another file");
}

}  // namespace

std::optional<std::string> read_text(const std::string& path, std::int64_t bytes_max) {
  require_path(path);
  // Without O_NONBLOCK, open() would wait for the writer of a pipe.
  const OpenDescriptor file(open(path.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC));
  if (!file.is_open() && errno == ENOENT) return {};
  if (!file.is_open())
    fail(path + " cannot be read: " + reason() + "; name a file that you may read");
  struct stat status {};
  if (fstat(file.number(), &status) != 0 || !S_ISREG(status.st_mode))
    fail(path + " must be a regular file; it is a folder or a device; name a file");
  return read_all(file.number(), path, bytes_max);
}

void update_text(
    const std::string& path, std::int64_t bytes_max, double wait_s,
    const std::function<std::string(const std::optional<std::string>& before)>& change) {
  require_path(path);
  const std::string target = behind_links(path);
  // An unsuitable file is refused before a lock file is made.
  read_text(target, bytes_max);
  const FileLock lock(target + ".lock", wait_s);
  const std::optional<std::string> before = read_text(target, bytes_max);
  if (before) require_writable(target);
  const std::string after = change(before);
  if (static_cast<std::int64_t>(after.size()) > bytes_max)
    fail(path + " must be at most " + std::to_string(bytes_max) + " bytes long; it would have " +
         std::to_string(after.size()) + "; name another file");
  if (before && *before == after) return;
  NewFile file(target);
  file.fill(after);
  file.take_place();
}

}  // namespace weft
