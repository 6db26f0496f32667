#include <algorithm>
#include <condition_variable>
#include <deque>
#include <memory>
#include <mutex>
#include <stop_token>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

#include <weft/error.hpp>

#include "disk/backends.hpp"
#include "disk/disk_queue.hpp"

namespace weft::disk {
namespace {

/// With more accesses at a time a disk is hardly faster, and each access needs a thread.
constexpr int most_threads_a_disk = 8;
constexpr int most_threads = 64;

class ThreadsBackend final : public Backend {
 public:
  ThreadsBackend(int disks, int depth)
      : Backend(disks), queues_(std::make_unique<std::deque<Queue>>(disks)) {
    const int each = std::clamp(most_threads / disks, 1, std::clamp(depth, 1, most_threads_a_disk));
    try {
      for (Queue& queue : *queues_)
        for (int k = 0; k < each; ++k)
          threads_.emplace_back(
              [this, &queue](const std::stop_token& stop) { execute_jobs(queue, stop); });
    } catch (const std::system_error& error) {
      throw Error(ErrorCode::unsupported,
                  "the backend threads needs " + std::to_string(each) + " threads for each of " +
                      std::to_string(disks) + " disks; the system refuses: " + error.what() +
                      "; raise the limit on processes (ulimit -u) or ask for synchronous");
    }
  }

  ~ThreadsBackend() override {
    if (!is_of_parent()) return;
    for (std::jthread& thread : threads_) thread.detach();
    // The queues are leaked. Destroying a condition variable would wait for the threads that wait
    // for it.
    static_cast<void>(queues_.release());
  }

  BackendKind kind() const override { return BackendKind::threads; }

 private:
  void start_jobs(Batch& batch) override {
    // A batch may be destroyed as soon as its last job is in a queue.
    const std::size_t count = batch.jobs.size();
    Job* const jobs = batch.jobs.data();
    for (std::size_t k = 0; k < count; ++k) {
      Queue& queue = (*queues_)[static_cast<std::size_t>(jobs[k].disk)];
      const std::lock_guard lock(queue.mutex);
      queue.jobs.push(jobs[k]);
      queue.filled.notify_one();
    }
  }

  struct Queue {
    std::mutex mutex;
    std::condition_variable_any filled;
    DiskQueue jobs;
  };

  /// Works until the queue is empty and no more jobs will come.
  void execute_jobs(Queue& queue, const std::stop_token& stop) {
    std::unique_lock lock(queue.mutex);
    while (queue.filled.wait(lock, stop, [&] { return !queue.jobs.is_empty(); })) {
      Job& job = queue.jobs.begin();
      // A copy, because the job may be destroyed when it has ended.
      const AccessDirection direction = job.access.direction();
      lock.unlock();
      begin(job);
      do_all(job);
      lock.lock();
      queue.jobs.end(direction);
    }
  }

  std::unique_ptr<std::deque<Queue>> queues_;
  std::vector<std::jthread> threads_;  ///< last member, so that threads end before their queues
};

}  // namespace

std::unique_ptr<Backend> make_threads_backend(int disks, int depth) {
  return std::make_unique<ThreadsBackend>(disks, depth);
}

}  // namespace weft::disk
