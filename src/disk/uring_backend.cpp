#include "disk/backends.hpp"
#include "disk/disk_queue.hpp"

#ifdef WEFT_HAVE_LIBURING

#include <liburing.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

#include <weft/error.hpp>

namespace weft::disk {
namespace {

/// Every kernel accepts a ring of this many entries.
constexpr int max_ring_entries = 4096;

std::string reason_of(int number) {
  std::string reason = std::string("io_uring does not start: ") + std::strerror(number);
  if (number == EPERM || number == EACCES)
    return reason + " (a container or kernel.io_uring_disabled forbids it)";
  if (number == ENOSYS) return reason + " (the kernel has no io_uring)";
  if (number == ENOMEM) return reason + " (the limit on locked memory, ulimit -l, is too small)";
  return reason;
}

/// An io_uring. The destructor closes it.
class Ring {
 public:
  explicit Ring(unsigned entries) : failure_(-io_uring_queue_init(entries, &ring_, 0)) {}
  Ring(const Ring&) = delete;
  Ring& operator=(const Ring&) = delete;
  ~Ring() {
    if (failure_ == 0) io_uring_queue_exit(&ring_);
  }
  /// Returns the error number of the start; 0 after success.
  int failure() const { return failure_; }
  io_uring* get() { return &ring_; }

 private:
  io_uring ring_{};
  int failure_;
};

/// Wakes the thread that waits for completions. A read of an eventfd is in the ring; wake()
/// completes this read.
class Waker {
 public:
  Waker() : descriptor_(eventfd(0, EFD_CLOEXEC)) {
    if (descriptor_ < 0)
      throw Error(ErrorCode::io_failure, std::string("io_uring needs an eventfd: ") +
                                             std::strerror(errno) + "; " + remedy(errno));
  }
  Waker(const Waker&) = delete;
  Waker& operator=(const Waker&) = delete;
  ~Waker() { close(descriptor_); }
  void wake() {
    // The counter cannot overflow, because each read of the ring resets it.
    (void)!eventfd_write(descriptor_, 1);
  }
  void prepare_read(io_uring_sqe* entry) {
    io_uring_prep_read(entry, descriptor_, &count_, sizeof count_, 0);
    io_uring_sqe_set_data(entry, nullptr);
  }

 private:
  int descriptor_;
  std::uint64_t count_ = 0;
};

/// One thread owns the ring. It submits jobs from the queues of the disks, and handles completions.
/// Meanwhile the thread that started the jobs can compute.
class UringBackend final : public Backend {
 public:
  UringBackend(int disks, int depth)
      : Backend(disks),
        depth_(std::clamp(depth, 1, std::max(1, (max_ring_entries - 1) / disks))),
        ring_(static_cast<unsigned>(depth_ * disks + 1)),
        queues_(disks) {
    if (ring_.failure() != 0)
      throw Error(ErrorCode::unsupported,
                  reason_of(ring_.failure()) + "; set WEFT_DISK_BACKEND=threads");
    waker_.prepare_read(entry());
    thread_ = std::thread([this] { execute_jobs(); });
  }

  ~UringBackend() override {
    if (is_of_parent()) {  // a forked process lacks this thread, so it cannot join it
      thread_.detach();
      return;
    }
    {
      const std::lock_guard lock(mutex_);
      stopping_ = true;
    }
    waker_.wake();
    thread_.join();
  }

  BackendKind kind() const override { return BackendKind::io_uring; }

 private:
  void start_jobs(Batch& batch) override {
    if (batch.jobs.empty()) return;
    {
      const std::lock_guard lock(mutex_);
      for (Job& job : batch.jobs) queues_[static_cast<std::size_t>(job.disk)].push(job);
    }
    waker_.wake();
  }

  void execute_jobs() {
    while (fill()) {
      const int answer = io_uring_submit_and_wait(ring_.get(), 1);
      // Most other errors mean that the kernel lacks resources. Accesses in progress free some.
      if (answer < 0 && answer != -EINTR) std::this_thread::sleep_for(std::chrono::milliseconds(1));
      take_completions();
    }
  }

  /// Prepares entries of the ring for waiting jobs, up to `depth` for each disk. Returns false if
  /// no job is left and the backend stops.
  bool fill() {
    const std::lock_guard lock(mutex_);
    bool idle = true;
    for (DiskQueue& queue : queues_) {
      while (!queue.is_empty() && queue.under_way() < depth_) {
        Job& job = queue.begin();
        begin(job);
        prepare_step(job);
      }
      idle = idle && queue.under_way() == 0;
    }
    return !(idle && stopping_);
  }

  /// Returns a free entry of the ring. There is always one, because each of the depth * disks jobs
  /// has at most one entry, and the waker has one.
  io_uring_sqe* entry() { return io_uring_get_sqe(ring_.get()); }

  void prepare_step(Job& job) {
    const Access::AccessStep step = job.access.next();
    io_uring_sqe* const request = entry();
    const auto count = static_cast<unsigned>(step.count);
    const auto offset = static_cast<std::uint64_t>(step.offset);
    if (job.access.direction() == AccessDirection::read)
      io_uring_prep_readv(request, step.descriptor, step.parts, count, offset);
    else
      io_uring_prep_writev(request, step.descriptor, step.parts, count, offset);
    io_uring_sqe_set_data(request, &job);
  }

  void take_completions() {
    io_uring_cqe* completion = nullptr;
    while (io_uring_peek_cqe(ring_.get(), &completion) == 0) {
      Job* const job = static_cast<Job*>(io_uring_cqe_get_data(completion));
      const int answer = completion->res;
      io_uring_cqe_seen(ring_.get(), completion);
      if (job == nullptr) {
        waker_.prepare_read(entry());
        continue;
      }
      const auto disk = static_cast<std::size_t>(job->disk);
      const AccessDirection direction = job->access.direction();
      if (advance(*job, answer))
        end(disk, direction);
      else
        prepare_step(*job);
    }
  }

  void end(std::size_t disk, AccessDirection direction) {
    const std::lock_guard lock(mutex_);
    queues_[disk].end(direction);
  }

  int depth_;
  Waker waker_;
  Ring ring_;  ///< destroyed before the waker, whose descriptor a read in the ring may use
  std::mutex mutex_;
  std::vector<DiskQueue> queues_;  ///< one for each disk; guarded by the mutex
  bool stopping_ = false;          ///< guarded by the mutex
  std::thread thread_;
};

}  // namespace

std::string uring_hindrance() {
  const Ring ring(2);
  return ring.failure() == 0 ? "" : reason_of(ring.failure());
}

std::unique_ptr<Backend> make_uring_backend(int disks, int depth) {
  return std::make_unique<UringBackend>(disks, depth);
}

}  // namespace weft::disk

#else

#include <weft/error.hpp>

namespace weft::disk {

std::string uring_hindrance() { return "this weft was built without liburing"; }

std::unique_ptr<Backend> make_uring_backend(int, int) {
  throw Error(ErrorCode::unsupported, uring_hindrance() + "; set WEFT_DISK_BACKEND=threads");
}

}  // namespace weft::disk

#endif
