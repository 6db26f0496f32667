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

/// The mechanism of disk accesses.
enum class BackendKind {
  automatic,   ///< io_uring if it works, otherwise threads
  io_uring,    ///< the system executes many accesses at a time for one thread
  threads,     ///< some threads for each disk; each makes one access at a time
  synchronous  ///< the caller's thread makes the access when it is started
};

const char* to_string(BackendKind kind);
/// Returns the kind that a word names. Throws invalid_argument, with all words, for other words.
BackendKind backend_from_string(std::string_view word);

/// A kind, and the reason for its choice, as in `weft info`.
struct BackendChoice {
  BackendKind kind = BackendKind::synchronous;
  std::string reason;
};

/// Returns the wanted kind. For automatic, returns the kind in the environment variable
/// WEFT_DISK_BACKEND. If the variable is not set, returns the best kind that works on the local
/// machine.
///
/// Errors  unsupported, with the reason, for a requested kind that does not work on the local
///         machine; invalid_argument for another word in the variable.
BackendChoice choose_backend(BackendKind wanted = BackendKind::automatic);

/// Counts of one disk.
struct DiskCounters {
  std::int64_t reads = 0;
  std::int64_t writes = 0;
  std::int64_t bytes_read = 0;
  std::int64_t bytes_written = 0;
  std::int64_t deepest = 0;  ///< most accesses in progress at the same time
};

/// Executes jobs, at most `depth` for each disk at the same time. The reads of a disk begin in the
/// order of the calls of start(), and so do its writes. Reads and writes may overlap, and may end
/// in any order. The destructor returns when all jobs have ended.
///
/// Forks       A child process has no thread of a backend that its parent has made. In the child
///             start() throws, and the destructor does not touch the parent's resources.
class Backend {
 public:
  explicit Backend(int disks);
  Backend(const Backend&) = delete;
  Backend& operator=(const Backend&) = delete;
  virtual ~Backend() = default;

  virtual BackendKind kind() const = 0;
  /// Starts all jobs of a batch. The batch must stay in memory until it has ended, and reports the
  /// first failure. Any thread may call start().
  /// Errors  as require_own_process().
  void start(Batch& batch);
  /// Errors  unsupported in a process that was forked from the one that made the backend.
  void require_own_process() const;

  std::vector<DiskCounters> counters() const;

 protected:
  virtual void start_jobs(Batch& batch) = 0;
  /// Returns whether this process was forked from the one that made the backend.
  bool is_of_parent() const;
  /// Called before the first step of a job.
  void begin(const Job& job);
  /// Gives a job the system's answer. Returns true if the job has ended. An ended job must not be
  /// used any more.
  bool advance(Job& job, std::int64_t answer);
  /// Executes all steps of a job in the calling thread.
  void do_all(Job& job);

 private:
  void end(Job& job, std::exception_ptr failure);

  pid_t process_;
  mutable std::mutex counting_;
  std::vector<DiskCounters> counters_;
  std::vector<std::int64_t> under_way_;
};

/// Makes a backend of a kind from choose_backend, for disks numbered from 0.
std::unique_ptr<Backend> make_backend(BackendKind kind, int disks, int depth);

}  // namespace weft::disk
