#include "disk/in_flight.hpp"

#include <algorithm>
#include <atomic>
#include <exception>
#include <mutex>
#include <thread>
#include <vector>

namespace weft::disk {
namespace {

/// Gives each thread the next number. Stores the first failure, after which it gives no number.
class Numbers {
 public:
  explicit Numbers(std::int64_t count) : count_(count) {}

  template <class Work>
  void take_numbers(int thread, Work&& work) {
    try {
      for (std::int64_t number = next_++; number < count_; number = next_++) work(thread, number);
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

void in_flight(int threads, std::int64_t count,
               const std::function<void(int thread, std::int64_t number)>& work) {
  Numbers numbers(count);
  {
    std::vector<std::jthread> others;
    const auto most = static_cast<int>(std::min<std::int64_t>(threads, count));
    for (int thread = 1; thread < most; ++thread)
      others.emplace_back([&numbers, &work, thread] { numbers.take_numbers(thread, work); });
    numbers.take_numbers(0, work);
  }
  numbers.rethrow();
}

}  // namespace weft::disk
