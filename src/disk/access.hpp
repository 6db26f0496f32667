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
/// A transfer takes several steps. Whole granules (see OpenFile) bypass the page cache. The shorter
/// edges go through the page cache. The system may also do less than requested. A backend calls
/// next(), executes the step, and calls take() with the answer, until the transfer is complete.
class Access {
 public:
  /// The file object must stay at its address.
  Access(const OpenFile& file, AccessDirection direction, std::int64_t offset,
         std::vector<FileSegment> segments);

  /// A request to the system. It is valid until the next call.
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
  ///         EAGAIN and a refused direct transfer are not errors: next() returns another step.
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
  std::size_t segment_ = 0;      ///< the segment in which the next step begins
  std::int64_t skipped_ = 0;     ///< finished bytes of that segment
  bool refused_direct_ = false;  ///< the file system has refused a direct transfer
  bool asked_direct_ = false;
  std::vector<iovec> parts_;
};

/// Executes a step and returns the system's answer.
std::int64_t perform(const Access::AccessStep& step, AccessDirection direction);

}  // namespace weft::disk
