#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include <sys/types.h>

#include "disk/job.hpp"

namespace weft::disk {

/// Who has the system do accesses.
enum class BackendKind {
  automatic,   ///< io_uring where it works, else threads
  io_uring,    ///< the system does many at a time for one thread
  threads,     ///< some threads for each disk, each of which does one after the other
  synchronous  ///< the caller's thread does each when it is started
};

const char* to_string(BackendKind kind);
/// Throws invalid_argument that names all words.
BackendKind backend_from_string(std::string_view word);

/// A kind, and why it was taken, as `weft info` says it.
struct BackendChoice {
  BackendKind kind = BackendKind::synchronous;
  std::string reason;
};

/// The kind that is wanted; automatic: the one that the environment variable WEFT_DISK_BACKEND
/// names, else the best that works here.
///
/// Errors  unsupported, with the reason, for one that was asked for and does not work here;
///         invalid_argument for another word in the variable.
BackendChoice choose_backend(BackendKind wanted = BackendKind::automatic);

/// What happened on one disk.
struct DiskCounters {
  std::int64_t reads = 0;
  std::int64_t writes = 0;
  std::int64_t bytes_read = 0;
  std::int64_t bytes_written = 0;
  std::int64_t deepest = 0;  ///< most accesses that were under way at a time
};

/// Does jobs, at most `depth` of each disk at a time. Reads of a disk begin in the order in which
/// they were started, and so do writes; both go on side by side, and end in any order. The
/// destructor returns when all have ended.
///
/// Forks       A child process has no thread of a backend that its parent has made: there start()
///             throws, and the destructor leaves alone what only the parent has.
class Backend {
 public:
  explicit Backend(int disks);
  Backend(const Backend&) = delete;
  Backend& operator=(const Backend&) = delete;
  virtual ~Backend() = default;

  virtual BackendKind kind() const = 0;
  /// Each job must stay until its batch has ended, which tells all failures. Any thread may call.
  /// Errors  as require_own_process().
  void start(Batch& batch);
  /// Errors  unsupported in a process that was forked from the one that made the backend.
  void require_own_process() const;

  std::vector<DiskCounters> counters() const;

 protected:
  virtual void start_jobs(Batch& batch) = 0;
  /// This process was forked from the one that made the backend.
  bool is_of_parent() const;
  /// Before the first step of a job.
  void begin(const Job& job);
  /// Gives a job the system's answer. True when the job has ended and must not be touched again.
  bool advance(Job& job, std::int64_t answer);
  /// All steps of a job, in this thread.
  void do_all(Job& job);

 private:
  void end(Job& job, std::exception_ptr failure);

  pid_t process_;
  mutable std::mutex counting_;
  std::vector<DiskCounters> counters_;
  std::vector<std::int64_t> under_way_;
};

/// A backend of a kind that choose_backend gave, for disks numbered from 0.
std::unique_ptr<Backend> make_backend(BackendKind kind, int disks, int depth);

}  // namespace weft::disk
