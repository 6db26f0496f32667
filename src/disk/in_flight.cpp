#include "disk/in_flight.hpp"

#include <algorithm>
#include <atomic>
#include <exception>
#include <mutex>
#include <thread>
#include <vector>

namespace weft::disk {
namespace {

/// Gives lanes the next number, and stores the first failure. After a failure there are no further
/// numbers.
class Numbers {
 public:
  explicit Numbers(std::int64_t count) : count_(count) {}

  template <class Work>
  void take_numbers(int lane, Work&& work) {
    try {
      for (std::int64_t number = next_++; number < count_; number = next_++) work(lane, number);
    } catch (...) {
      next_ = count_;
      const std::lock_guard lock(failing_);
      if (!failure_) failure_ = std::current_exception();
    }
  }

  void rethrow() const {
    if (failure_) std::rethrow_exception(failure_);
  }

 private:
  std::int64_t count_;
  std::atomic<std::int64_t> next_ = 0;
  std::mutex failing_;
  std::exception_ptr failure_;
};

}  // namespace

void in_flight(int lanes, std::int64_t count,
               const std::function<void(int lane, std::int64_t number)>& work) {
  Numbers numbers(count);
  {
    std::vector<std::jthread> others;
    const auto most = static_cast<int>(std::min<std::int64_t>(lanes, count));
    for (int lane = 1; lane < most; ++lane)
      others.emplace_back([&numbers, &work, lane] { numbers.take_numbers(lane, work); });
    numbers.take_numbers(0, work);
  }
  numbers.rethrow();
}

}  // namespace weft::disk
