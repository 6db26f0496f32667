#include <fcntl.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <map>
#include <mutex>
#include <string>
#include <utility>

#include <weft/error.hpp>

#include "base/checked.hpp"
#include "base/memory.hpp"
#include "base/process_mutex.hpp"
#include "comm/node_memory.hpp"

namespace weft::comm {
namespace {

/// A file descriptor that is closed when it goes out of scope.
class SegmentFile {
 public:
  explicit SegmentFile(int number = -1) : number_(number) {}
  SegmentFile(SegmentFile&& other) noexcept : number_(std::exchange(other.number_, -1)) {}
  SegmentFile& operator=(SegmentFile&& other) noexcept {
    std::swap(number_, other.number_);
    return *this;
  }
  ~SegmentFile() {
    if (number_ >= 0) close(number_);
  }
  int get() const { return number_; }
  bool valid() const { return number_ >= 0; }

 private:
  int number_;
};

[[noreturn]] void unsupported(const std::string& what, int error) {
  throw Error(ErrorCode::unsupported, "node memory: " + what + ": " + std::strerror(error) +
                                          "; set WEFT_NODE_MEMORY=private to exchange by messages");
}

std::uint64_t random_cookie() {
  std::uint64_t cookie = 0;
  if (getrandom(&cookie, sizeof cookie, 0) == sizeof cookie) return cookie;
  // The time differs for every process and call on this machine, which is enough for names.
  const auto now = std::chrono::steady_clock::now().time_since_epoch().count();
  return static_cast<std::uint64_t>(now) ^ (static_cast<std::uint64_t>(getpid()) << 40);
}

std::string hexadecimal(std::uint64_t value) {
  char text[17];
  std::snprintf(text, sizeof text, "%016llx", static_cast<unsigned long long>(value));
  return text;
}

std::string memfd_name(const NodeHandle& handle) { return "weft-" + hexadecimal(handle.cookie); }

/// Returns the name in /dev/shm.
std::string posix_name(const NodeHandle& handle) {
  return "/weft-" + std::to_string(handle.pid) + "-" + hexadecimal(handle.cookie);
}

[[noreturn]] void out_of_memory(std::int64_t bytes, int error) {
  throw Error(ErrorCode::out_of_memory,
              "node memory needs " + std::to_string(bytes) + " bytes and " +
                  std::to_string(available_memory_bytes()) + " are available (" +
                  std::strerror(error) +
                  "); use more nodes or a smaller size, or set WEFT_NODE_MEMORY=private to "
                  "exchange by messages");
}

/// Throws if node memory exceeds the limit on file sizes. For the system node memory is a file, so
/// exceeding the limit would raise SIGXFSZ.
void require_file_limit(std::int64_t bytes) {
  rlimit limit = {};
  if (getrlimit(RLIMIT_FSIZE, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY) return;
  if (static_cast<rlim_t>(bytes) <= limit.rlim_cur) return;
  throw Error(ErrorCode::out_of_memory,
              "node memory must be within the limit on file sizes, which is " +
                  std::to_string(limit.rlim_cur) + " bytes; it needs " + std::to_string(bytes) +
                  "; raise the limit (ulimit -f unlimited), or set WEFT_NODE_MEMORY=private");
}

/// Reserves every page of a file, as small pages.
void reserve_pages(const SegmentFile& file, std::int64_t bytes) {
  int error = 0;
  do {
    error = posix_fallocate(file.get(), 0, checked_cast<off_t>(bytes));
  } while (error == EINTR);
  if (error == 0) return;
  if (error == ENOSPC || error == ENOMEM || error == EFBIG) out_of_memory(bytes, error);
  unsupported("reserving shared memory failed", error);
}

/// Returns an address range of `bytes` bytes that begins at a multiple of 2 MiB, so that the system
/// may use huge pages. Returns MAP_FAILED if there is none.
void* aligned_range(std::size_t bytes) {
  const std::size_t page = AlignedBuffer::huge_page_bytes;
  void* range =
      mmap(nullptr, bytes + page, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (range == MAP_FAILED) return range;
  const auto start = reinterpret_cast<std::uintptr_t>(range);
  const std::size_t head = (page - start % page) % page;
  const std::size_t system_page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  const std::size_t used = head + (bytes + system_page - 1) / system_page * system_page;
  char* aligned = static_cast<char*>(range) + head;
  if (head > 0) munmap(range, head);
  if (used < bytes + page) munmap(static_cast<char*>(range) + used, bytes + page - used);
  return aligned;
}

void* map_shared(const SegmentFile& file, std::int64_t given_bytes) {
  const auto bytes = static_cast<std::size_t>(given_bytes);
  const bool huge = given_bytes >= AlignedBuffer::huge_from_bytes;
  void* where = huge ? aligned_range(bytes) : nullptr;
  if (where != MAP_FAILED)
    where = mmap(where, bytes, PROT_READ | PROT_WRITE,
                 MAP_SHARED | (where == nullptr ? 0 : MAP_FIXED), file.get(), 0);
  if (where == MAP_FAILED) {
    if (errno == ENOMEM)
      throw Error(ErrorCode::out_of_memory, "node memory: no room to map " + std::to_string(bytes) +
                                                " bytes; use more nodes or a smaller size");
    unsupported("mapping shared memory failed", errno);
  }
  if (huge) madvise(where, bytes, MADV_HUGEPAGE);  // a hint that may be refused
  return where;
}

/// Maps new memory with all pages allocated. Otherwise a lack of memory would be a SIGBUS at the
/// first touch. Touching the mapping may give huge pages; reserving the pages of the file does not.
void* map_reserved(const SegmentFile& file, std::int64_t bytes) {
#ifdef MADV_POPULATE_WRITE
  if (bytes >= AlignedBuffer::huge_from_bytes && ftruncate(file.get(), bytes) == 0) {
    void* data = map_shared(file, bytes);
    if (madvise(data, static_cast<std::size_t>(bytes), MADV_POPULATE_WRITE) == 0) return data;
    const int error = errno;
    munmap(data, static_cast<std::size_t>(bytes));
    if (error != EINVAL) out_of_memory(bytes, error);  // kernels before 5.14 return EINVAL
  }
#endif
  reserve_pages(file, bytes);
  return map_shared(file, bytes);
}

SegmentFile open_memfd_of(const NodeHandle& handle) {
  const std::string path =
      "/proc/" + std::to_string(handle.pid) + "/fd/" + std::to_string(handle.descriptor);
  char target[128] = {};
  const ssize_t length = readlink(path.c_str(), target, sizeof target - 1);
  if (length < 0) unsupported("the system does not let this process see " + path, errno);
  // In another process namespace the number may belong to another process. The name shows this.
  if (std::string(target) != "/memfd:" + memfd_name(handle) + " (deleted)") {
    unsupported(path + " is not what the peer made (another process namespace?)", ESRCH);
  }
  SegmentFile file(open(path.c_str(), O_RDWR | O_CLOEXEC));
  if (!file.valid()) unsupported("opening " + path + " failed", errno);
  return file;
}

SegmentFile open_posix_of(const NodeHandle& handle) {
  SegmentFile file(shm_open(posix_name(handle).c_str(), O_RDWR | O_CLOEXEC, 0));
  if (!file.valid()) unsupported("opening " + posix_name(handle) + " in /dev/shm failed", errno);
  return file;
}

/// The segments of this process to which other ranks can still attach, by their first address.
class OpenSegments {
 public:
  void add(const void* data, const NodeHandle& handle) {
    const std::lock_guard lock(mutex_);
    handles_[reinterpret_cast<std::uintptr_t>(data)] = handle;
  }
  void remove(const void* data) {
    const std::lock_guard lock(mutex_);
    handles_.erase(reinterpret_cast<std::uintptr_t>(data));
  }
  std::optional<std::pair<NodeHandle, std::int64_t>> find(const void* address) const {
    const std::lock_guard lock(mutex_);
    const auto wanted = reinterpret_cast<std::uintptr_t>(address);
    auto after = handles_.upper_bound(wanted);
    if (after == handles_.begin()) return {};
    const auto& [start, handle] = *--after;
    const auto offset = static_cast<std::int64_t>(wanted - start);
    if (offset >= handle.bytes) return {};
    return {{handle, offset}};
  }

 private:
  mutable ProcessMutex mutex_;
  std::map<std::uintptr_t, NodeHandle> handles_;
};

/// Returns the open segments. They are never destroyed, because arrays may be dropped during static
/// destruction.
OpenSegments& open_segments() {
  static OpenSegments& segments = *new OpenSegments;
  return segments;
}

}  // namespace

struct NodeSegment::Body {
  NodeHandle handle;
  void* data = nullptr;
  bool owner = false;
  bool has_name = false;  ///< the name in /dev/shm still exists
  SegmentFile file;
  AlignedBuffer ordinary;

  void make_memfd();
  void make_posix();
  void remove_name();
  ~Body();
};

void NodeSegment::Body::make_memfd() {
  file = SegmentFile(memfd_create(memfd_name(handle).c_str(), MFD_CLOEXEC));
  if (!file.valid()) unsupported("memfd_create failed", errno);
  data = map_reserved(file, handle.bytes);
  handle.descriptor = file.get();
}

void NodeSegment::Body::make_posix() {
  const std::string name = posix_name(handle);
  file =
      SegmentFile(shm_open(name.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, S_IRUSR | S_IWUSR));
  if (!file.valid()) unsupported("making " + name + " in /dev/shm failed", errno);
  has_name = true;
  data = map_reserved(file, handle.bytes);
}

void NodeSegment::Body::remove_name() {
  if (has_name) shm_unlink(posix_name(handle).c_str());
  has_name = false;
}

NodeSegment::Body::~Body() {
  remove_name();
  if (owner) open_segments().remove(data);
  if (data == nullptr || ordinary.size() > 0) return;
  munmap(data, static_cast<std::size_t>(handle.bytes));
  if (owner) count_memory(-handle.bytes);
}

NodeSegment NodeSegment::create(NodeMemoryKind kind, std::int64_t bytes) {
  if (bytes < 0) {
    throw Error(ErrorCode::invalid_argument,
                "node memory has 0 or more bytes; given " + std::to_string(bytes));
  }
  if (kind == NodeMemoryKind::window) {
    throw Error(ErrorCode::internal,
                "a window of MPI is made by all ranks of a node together, not by one");
  }
  NodeSegment segment;
  segment.body_ = std::make_shared<Body>();
  Body& body = *segment.body_;
  body.handle = {
      .bytes = bytes, .cookie = random_cookie(), .pid = getpid(), .descriptor = -1, .kind = kind};
  if (bytes == 0) return segment;
  if (kind == NodeMemoryKind::ordinary) {
    body.ordinary = AlignedBuffer(bytes);
    body.data = body.ordinary.data();
    std::memset(body.data, 0, static_cast<std::size_t>(bytes));
    return segment;
  }
  require_file_limit(bytes);
  require_memory(bytes, "node memory");
  if (kind == NodeMemoryKind::memfd) {
    body.make_memfd();
  } else {
    body.make_posix();
  }
  body.owner = true;
  open_segments().add(body.data, body.handle);
  count_memory(bytes);
  return segment;
}

NodeSegment NodeSegment::attach(const NodeHandle& handle) {
  NodeSegment segment;
  segment.body_ = std::make_shared<Body>();
  segment.body_->handle = handle;
  if (handle.bytes == 0) return segment;
  if (handle.kind != NodeMemoryKind::memfd && handle.kind != NodeMemoryKind::posix) {
    throw Error(ErrorCode::unsupported, std::string("node memory of kind ") +
                                            to_string(handle.kind) + " cannot be mapped by a peer");
  }
  const SegmentFile file =
      handle.kind == NodeMemoryKind::memfd ? open_memfd_of(handle) : open_posix_of(handle);
  struct stat status = {};
  if (fstat(file.get(), &status) != 0)
    unsupported("reading the size of a peer's memory failed", errno);
  if (status.st_size < handle.bytes) {
    unsupported("a peer's memory has " + std::to_string(status.st_size) + " bytes instead of " +
                    std::to_string(handle.bytes),
                EINVAL);
  }
  segment.body_->data = map_shared(file, handle.bytes);
  return segment;
}

std::optional<std::pair<NodeHandle, std::int64_t>> NodeSegment::find(const void* address) {
  return open_segments().find(address);
}

void* NodeSegment::data() const { return body_ ? body_->data : nullptr; }
std::int64_t NodeSegment::size() const { return body_ ? body_->handle.bytes : 0; }
NodeMemoryKind NodeSegment::kind() const {
  return body_ ? body_->handle.kind : NodeMemoryKind::ordinary;
}

const NodeHandle& NodeSegment::handle() const {
  static const NodeHandle none;
  return body_ ? body_->handle : none;
}

void NodeSegment::close_for_newcomers() {
  if (!body_) return;
  open_segments().remove(body_->data);
  body_->remove_name();
  body_->file = SegmentFile();
  body_->handle.descriptor = -1;
}

}  // namespace weft::comm
