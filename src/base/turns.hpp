#pragma once

#include <atomic>
#include <mutex>

#include <sys/types.h>

namespace weft {

/// Lets calls that must not overlap take turns: those that threads make on one communicator,
/// transform or set of files. Locked and unlocked as a std::recursive_mutex.
///
/// Forks       A child process has only the thread that forked. Where another thread had its turn
///             at that moment, no turn of the child's would ever begin: lock() throws there.
class Turns {
 public:
  /// Waits until the calls before have ended.
  /// Errors  Error(unsupported) in a child process, as above.
  void lock();
  void unlock() { mutex_.unlock(); }

 private:
  void wait();

  std::recursive_mutex mutex_;
  std::atomic<pid_t> process_ = 0;  ///< whose thread locked it last
};

}  // namespace weft
