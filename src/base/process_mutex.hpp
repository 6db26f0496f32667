#pragma once

#include <mutex>

namespace weft {

/// A mutex of the whole process, such as that of a planner or of a table that transforms share.
///
/// A fork waits until all are free. So a child process never inherits a mutex that a thread of its
/// parent has locked: no thread would unlock it in the child. It is held for a short time, or while
/// a line is planned.
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
