#pragma once

#include <cstdint>
#include <string>
#include <utility>

namespace weft {

/// Memory that this process could still get: the smaller of MemAvailable and of what the limits of
/// its control groups (version 1 or 2) leave. The largest int64 where neither can be read.
std::int64_t available_memory_bytes();

/// available_memory_bytes() less what this process has been promised and has not touched yet: the
/// system counts memory when it is touched, so without this two large buffers could both be granted
/// and not both be filled.
std::int64_t unpromised_memory_bytes();

/// Throws Error(out_of_memory), naming `what`, the bytes asked and the bytes there are, when
/// `bytes` exceeds unpromised_memory_bytes(). Requests below 4 MiB pass unchecked: reading the
/// limits would cost more than they do.
void require_memory(std::int64_t bytes, const std::string& what);

/// How much memory weft holds through AlignedBuffer and node memory, in this process. Thread-safe.
struct MemoryCounters {
  std::int64_t live_bytes = 0;   ///< held now
  std::int64_t peak_bytes = 0;   ///< largest live_bytes since the start or reset_memory_peak()
  std::int64_t allocations = 0;  ///< requests of more than 0 bytes granted since the start
};
MemoryCounters memory_counters();
/// Sets peak_bytes to live_bytes.
void reset_memory_peak();

/// True when the two ranges of bytes have one in common. Empty ranges have none.
bool overlap(const void* a, std::int64_t a_bytes, const void* b, std::int64_t b_bytes);

/// For the allocators of weft: enters memory into the counters. Negative bytes give it back.
void count_memory(std::int64_t bytes);

/// Uninitialised bytes aligned to 64; from 4 MiB up aligned to 2 MiB and offered huge pages.
///
/// Errors  Error(out_of_memory) with the bytes asked and available, before the system would kill
///         the process; Error(invalid_argument) for a negative size.
class AlignedBuffer {
 public:
  static constexpr std::int64_t alignment_bytes = 64;
  static constexpr std::int64_t huge_page_bytes = std::int64_t{2} << 20;
  static constexpr std::int64_t huge_from_bytes = std::int64_t{4} << 20;

  AlignedBuffer() = default;
  explicit AlignedBuffer(std::int64_t bytes);
  AlignedBuffer(AlignedBuffer&& other) noexcept
      : data_(std::exchange(other.data_, nullptr)), bytes_(std::exchange(other.bytes_, 0)) {}
  AlignedBuffer& operator=(AlignedBuffer&& other) noexcept {
    std::swap(data_, other.data_);
    std::swap(bytes_, other.bytes_);
    return *this;
  }
  AlignedBuffer(const AlignedBuffer&) = delete;
  AlignedBuffer& operator=(const AlignedBuffer&) = delete;
  ~AlignedBuffer();

  /// nullptr when size() is 0.
  void* data() const { return data_; }
  template <class T>
  T* as() const {
    return static_cast<T*>(data_);
  }
  std::int64_t size() const { return bytes_; }

 private:
  void* data_ = nullptr;
  std::int64_t bytes_ = 0;
};

}  // namespace weft
