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
/// It takes as many steps as the system makes of it: the edges that are no whole granule go through
/// the system's memory, the middle passes it by, and the system may do less than it is asked for.
/// A backend repeats: next(), do that, take() what the system answered, until it is complete.
class Access {
 public:
  /// The file must stay where it is.
  Access(const OpenFile& file, AccessDirection direction, std::int64_t offset,
         std::vector<FileSegment> segments);

  /// What to ask the system for; valid until the next call.
  struct AccessStep {
    int descriptor = -1;
    std::int64_t offset = 0;
    const iovec* parts = nullptr;
    int count = 0;
  };
  AccessStep next();
  /// What it answered to the step of the last next(): bytes done, or an error's number negated.
  ///
  /// Errors  io_failure that names the file, the direction, the offset and the reason. What can be
  ///         tried again (EINTR, EAGAIN, a file system that refuses direct transfers) is not one.
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
  std::size_t segment_ = 0;      ///< where it goes on
  std::int64_t skipped_ = 0;     ///< bytes of that segment that are done
  bool refused_direct_ = false;  ///< the file system did not want what it had promised
  bool asked_direct_ = false;
  std::vector<iovec> parts_;
};

/// Has the system do a step and returns its answer.
std::int64_t perform(const Access::AccessStep& step, AccessDirection direction);

}  // namespace weft::disk
