#pragma once

#include <mutex>

namespace weft {

/// A mutex of the whole process, such as that of a planner or of a table that transforms share. A
/// thread holds it for a short time, or while it plans a line.
///
/// A fork waits until all these mutexes are free. So a child process never inherits a locked mutex,
/// which no thread of the child would unlock.
class ProcessMutex {
 public:
  ProcessMutex();
  ProcessMutex(const ProcessMutex&) = delete;
  ProcessMutex& operator=(const ProcessMutex&) = delete;
  ~ProcessMutex();

  void lock() { mutex_.lock(); }
  bool try_lock() { return mutex_.try_lock(); }
  void unlock() { mutex_.unlock(); }

 private:
  std::mutex mutex_;
};

}  // namespace weft
