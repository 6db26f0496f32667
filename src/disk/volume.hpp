#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace weft::disk {

/// Consecutive bytes of a volume, and the memory to which they are read or from which they are
/// written.
struct Run {
  std::int64_t offset = 0;  ///< in bytes, from the start of the volume
  std::int64_t bytes = 0;
  std::byte* memory = nullptr;
};

/// One array of bytes on disks, in any files.
///
/// Transfers are asynchronous: they continue while the caller computes. Transfers that access the
/// same bytes, one of them a write, must not be in progress together.
///
/// Errors  io_failure that names the file, the attempt and the system's reason; invalid_argument
///         for a run beyond the end. Either the function that starts the transfer or wait() throws
///         the error.
class Volume {
 public:
  /// Identifies transfers that were started together.
  using Ticket = std::int64_t;

  virtual ~Volume() = default;
  virtual std::int64_t bytes() const = 0;
  /// Start transfers. The memory of the runs must stay until wait() has returned. The list of runs
  /// may be freed before.
  virtual Ticket start_read(std::span<const Run> runs) = 0;
  virtual Ticket start_write(std::span<const Run> runs) = 0;
  /// Returns when all runs of the ticket have ended. May be called only once for each ticket.
  virtual void wait(Ticket ticket) = 0;
  /// Returns whether wait() would return, or throw, immediately. May be called only before wait()
  /// for that ticket.
  virtual bool has_ended(Ticket ticket) = 0;
  /// Returns when all writes for which wait() has returned are on the disks.
  virtual void flush() = 0;
};

}  // namespace weft::disk
