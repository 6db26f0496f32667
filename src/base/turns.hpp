#pragma once

#include <atomic>
#include <mutex>

#include <sys/types.h>

namespace weft {

/// Serialises calls that must not overlap: calls by threads on one communicator, transform or set
/// of files. A thread locks and unlocks it as a std::recursive_mutex.
///
/// Forks       A child process has only the thread that forked. If another thread had its turn at
///             that moment, no turn of the child would ever begin: lock() throws in the child.
class Turns {
 public:
  /// Waits until earlier calls have ended.
  /// Errors  Error(unsupported) in a child process, as above.
  void lock();
  void unlock() { mutex_.unlock(); }

 private:
  void wait();

  std::recursive_mutex mutex_;
  std::atomic<pid_t> process_ = 0;  ///< process of the last thread that locked the mutex
};

}  // namespace weft
