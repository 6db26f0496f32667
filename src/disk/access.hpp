#pragma once

#include <sys/uio.h>

#include <cstddef>
#include <cstdint>
#include <vector>

#include "disk/open_file.hpp"

namespace weft::disk {

enum class AccessDirection { read, write };

/// Consecutive bytes of memory.
struct FileSegment {
  std::byte* memory = nullptr;
  std::int64_t bytes = 0;
};

/// One transfer between consecutive bytes of a file and segments of memory.
///
/// The system decides the number of steps. Edges that are no whole granule go through the system's
/// memory, the middle bypasses it, and the system may do less than requested. A backend repeats:
/// next(), execute the step, take() the answer, until it is complete.
class Access {
 public:
  /// The file must not move.
  Access(const OpenFile& file, AccessDirection direction, std::int64_t offset,
         std::vector<FileSegment> segments);

  /// A request to the system; valid until the next call.
  struct AccessStep {
    int descriptor = -1;
    std::int64_t offset = 0;
    const iovec* parts = nullptr;
    int count = 0;
  };
  AccessStep next();
  /// Takes the system's answer to the last step: bytes done, or a negated error number.
  ///
  /// Errors  io_failure that names the file, the direction, the offset and the reason. EINTR,
  ///         EAGAIN and a refused direct transfer are no errors: another step follows.
  void take(std::int64_t answer);
  bool is_complete() const { return left_ == 0; }

  AccessDirection direction() const { return direction_; }
  std::int64_t bytes() const { return bytes_; }

 private:
  void add_direct_parts();
  void add_buffered_parts(std::int64_t bytes);
  bool is_aligned(std::size_t segment, std::int64_t skipped) const;
  std::int64_t edge_bytes() const;
  void move_on(std::int64_t bytes);
  [[noreturn]] void fail(int reason) const;

  const OpenFile* file_;
  AccessDirection direction_;
  std::int64_t offset_;
  std::vector<FileSegment> segments_;
  std::int64_t bytes_ = 0;
  std::int64_t left_ = 0;
  std::size_t segment_ = 0;      ///< where the next step begins
  std::int64_t skipped_ = 0;     ///< finished bytes of that segment
  bool refused_direct_ = false;  ///< the file system refused a direct transfer after all
  bool asked_direct_ = false;
  std::vector<iovec> parts_;
};

/// Executes a step and returns the system's answer.
std::int64_t perform(const Access::AccessStep& step, AccessDirection direction);

}  // namespace weft::disk
