#pragma once

#include <condition_variable>
#include <cstdint>
#include <exception>
#include <mutex>
#include <vector>

#include "disk/access.hpp"

namespace weft::disk {

class Batch;

/// An access, its disk, and the batch that is notified of its end.
struct Job {
  Access access;
  int disk = 0;
  Batch* batch = nullptr;
};

/// Jobs that are started together. wait() throws the first failure, but only when all jobs have
/// ended, because until then the system may still use their memory.
class Batch {
 public:
  std::vector<Job> jobs;

  /// Must be called before the first job is started.
  void expect_all() { left_ = static_cast<std::int64_t>(jobs.size()); }

  void end_one(std::exception_ptr failure) {
    const std::lock_guard lock(mutex_);
    if (failure && !failure_) failure_ = std::move(failure);
    // This is under the lock, because a waiting thread may destroy the batch as soon as it sees 0.
    if (--left_ == 0) ended_.notify_all();
  }

  bool has_ended() {
    const std::lock_guard lock(mutex_);
    return left_ == 0;
  }

  void wait() {
    std::unique_lock lock(mutex_);
    ended_.wait(lock, [this] { return left_ == 0; });
    if (failure_) std::rethrow_exception(failure_);
  }

 private:
  std::mutex mutex_;
  std::condition_variable ended_;
  std::int64_t left_ = 0;
  std::exception_ptr failure_;
};

}  // namespace weft::disk
