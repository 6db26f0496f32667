#pragma once

#include <cstdint>
#include <string>
#include <utility>

#include "base/rounding.hpp"

namespace weft {

/// Returns the memory that this process can still get: the smaller of MemAvailable and the room in
/// its control groups (version 1 or 2). Returns the largest int64 if neither can be read.
std::int64_t available_memory_bytes();

/// Returns available_memory_bytes() without the memory that this process has been promised and has
/// not touched yet. The system counts memory when it is touched. Without this subtraction, two
/// large buffers could be granted although only one can be filled.
std::int64_t unpromised_memory_bytes();

/// Throws Error(out_of_memory) if `bytes` exceeds unpromised_memory_bytes(). The message has
/// `what`, the bytes requested and the bytes available. Requests below 4 MiB are not
/// checked, because reading the limits would take longer than the allocation.
void require_memory(std::int64_t bytes, const std::string& what);

/// Memory that weft holds through AlignedBuffer and node memory in this process. Thread-safe.
struct MemoryCounters {
  std::int64_t live_bytes = 0;   ///< held now
  std::int64_t peak_bytes = 0;   ///< largest live_bytes since the start or reset_memory_peak()
  std::int64_t allocations = 0;  ///< requests of more than 0 bytes granted since the start
};
MemoryCounters memory_counters();
/// Sets peak_bytes to live_bytes.
void reset_memory_peak();

/// Returns whether the two ranges of bytes overlap. Empty ranges do not.
bool overlap(const void* a, std::int64_t a_bytes, const void* b, std::int64_t b_bytes);

/// Adds memory to the counters, for the allocators of weft. Negative bytes are subtracted.
void count_memory(std::int64_t bytes);

/// Uninitialised memory, aligned to 64 bytes. From 4 MiB up it is aligned to 2 MiB, and the system
/// may use huge pages.
///
/// Errors  Error(out_of_memory) with the bytes asked and available, before the system would kill
///         the process; Error(invalid_argument) for a negative size.
class AlignedBuffer {
 public:
  static constexpr std::int64_t alignment_bytes = 64;
  /// Returns `bytes`, rounded up so that data after them are aligned too.
  static std::int64_t aligned(std::int64_t bytes) { return rounded_up(bytes, alignment_bytes); }
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
