#include "base/memory.hpp"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <fstream>
#include <sstream>

#include <weft/error.hpp>

#include "base/checked.hpp"
#include "base/memory_limits.hpp"

namespace weft {
namespace {

std::atomic<std::int64_t> live_bytes{0};
std::atomic<std::int64_t> peak_bytes{0};
std::atomic<std::int64_t> allocations{0};
/// Live bytes of AlignedBuffer, without node memory. The system subtracts these bytes from
/// MemAvailable only when they are touched, but reserves node memory at once.
std::atomic<std::int64_t> promised_bytes{0};

std::string read_text(const char* path) {
  std::ifstream file(path);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

/// Returns this process's own memory that it has touched; 0 if that cannot be read.
std::int64_t touched_bytes() {
  std::ifstream file("/proc/self/statm");
  std::int64_t total_pages = 0;
  std::int64_t resident_pages = 0;
  std::int64_t shared_pages = 0;
  if (!(file >> total_pages >> resident_pages >> shared_pages)) return 0;
  return (resident_pages - shared_pages) * sysconf(_SC_PAGESIZE);
}

std::string mebibytes(std::int64_t bytes) {
  return std::to_string(bytes) + " bytes (" + std::to_string(bytes >> 20) + " MiB)";
}

[[noreturn]] void refuse(std::int64_t bytes, const std::string& what) {
  throw Error(ErrorCode::out_of_memory, what + " needs " + mebibytes(bytes) + " and " +
                                            mebibytes(unpromised_memory_bytes()) +
                                            " are available; use more nodes or a smaller size");
}

/// Returns `bytes`, rounded up to whole pages of 2 MiB, for buffers from huge_from_bytes up.
std::int64_t mapped_bytes(std::int64_t bytes) {
  const std::int64_t page = AlignedBuffer::huge_page_bytes;
  return checked_add(bytes, page - 1, "the size of a buffer") / page * page;
}

/// Maps `bytes` (a multiple of 2 MiB) at a multiple of 2 MiB; returns nullptr if the system
/// refuses.
void* map_aligned(std::int64_t bytes) {
  const std::int64_t page = AlignedBuffer::huge_page_bytes;
  const auto with_slack =
      static_cast<std::size_t>(checked_add(bytes, page, "the size of a buffer"));
  void* mapping =
      mmap(nullptr, with_slack, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (mapping == MAP_FAILED) return nullptr;
  char* begin = static_cast<char*>(mapping);
  const auto address = reinterpret_cast<std::uintptr_t>(begin);
  const auto head =
      static_cast<std::size_t>((page - static_cast<std::int64_t>(address % page)) % page);
  if (head > 0) munmap(begin, head);
  const std::size_t tail = static_cast<std::size_t>(page) - head;
  if (tail > 0) munmap(begin + head + bytes, tail);
  madvise(begin + head, static_cast<std::size_t>(bytes),
          MADV_HUGEPAGE);  // only advice: a refusal does no harm
  return begin + head;
}

}  // namespace

std::int64_t available_memory_bytes() {
  return std::min(mem_available_bytes(read_text("/proc/meminfo")),
                  cgroup_room_bytes(read_text("/proc/self/cgroup"), "/sys/fs/cgroup"));
}

std::int64_t unpromised_memory_bytes() {
  const std::int64_t untouched = std::max<std::int64_t>(0, promised_bytes.load() - touched_bytes());
  return std::max<std::int64_t>(0, available_memory_bytes() - untouched);
}

void require_memory(std::int64_t bytes, const std::string& what) {
  if (bytes < AlignedBuffer::huge_from_bytes) return;
  if (bytes > unpromised_memory_bytes()) refuse(bytes, what);
}

MemoryCounters memory_counters() {
  return {.live_bytes = live_bytes.load(),
          .peak_bytes = peak_bytes.load(),
          .allocations = allocations.load()};
}

void reset_memory_peak() { peak_bytes.store(live_bytes.load()); }

void count_memory(std::int64_t bytes) {
  const std::int64_t now = live_bytes.fetch_add(bytes) + bytes;
  if (bytes <= 0) return;
  allocations.fetch_add(1);
  std::int64_t peak = peak_bytes.load();
  while (peak < now && !peak_bytes.compare_exchange_weak(peak, now)) {
  }
}

bool overlap(const void* a, std::int64_t a_bytes, const void* b, std::int64_t b_bytes) {
  if (a_bytes == 0 || b_bytes == 0) return false;
  const auto first = reinterpret_cast<std::uintptr_t>(a);
  const auto second = reinterpret_cast<std::uintptr_t>(b);
  return first < second + static_cast<std::uintptr_t>(b_bytes) &&
         second < first + static_cast<std::uintptr_t>(a_bytes);
}

AlignedBuffer::AlignedBuffer(std::int64_t bytes) {
  if (bytes < 0) {
    throw Error(ErrorCode::invalid_argument,
                "a buffer has 0 or more bytes; given " + std::to_string(bytes));
  }
  if (bytes == 0) return;
  require_memory(bytes, "a buffer");
  if (bytes >= huge_from_bytes) {
    data_ = map_aligned(mapped_bytes(bytes));
  } else {
    const std::int64_t rounded = (bytes + alignment_bytes - 1) / alignment_bytes * alignment_bytes;
    data_ = std::aligned_alloc(alignment_bytes, static_cast<std::size_t>(rounded));
  }
  if (data_ == nullptr) refuse(bytes, "a buffer");
  bytes_ = bytes;
  promised_bytes.fetch_add(bytes);
  count_memory(bytes);
}

AlignedBuffer::~AlignedBuffer() {
  if (data_ == nullptr) return;
  if (bytes_ >= huge_from_bytes) {
    munmap(data_, static_cast<std::size_t>(mapped_bytes(bytes_)));
  } else {
    std::free(data_);
  }
  promised_bytes.fetch_sub(bytes_);
  count_memory(-bytes_);
}

}  // namespace weft
