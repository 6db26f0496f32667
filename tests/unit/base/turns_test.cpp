// Turns of threads, and their state in a forked process.
#include "base/turns.hpp"

#include <gtest/gtest.h>

#include <future>
#include <mutex>
#include <thread>
#include <vector>

#include "base/process_mutex.hpp"
#include "unit/support/in_child.hpp"

namespace weft {
namespace {

using test_support::in_child;

/// Holds `mutex` in another thread until this object is destroyed.
template <class Mutex>
class Holder {
 public:
  explicit Holder(Mutex& mutex)
      : thread_([this, &mutex] {
          const std::lock_guard lock(mutex);
          holds_.set_value();
          end_.get_future().wait();
        }) {
    holds_.get_future().wait();
  }
  void let_go() { end_.set_value(); }
  ~Holder() { thread_.join(); }

 private:
  std::promise<void> holds_;
  std::promise<void> end_;
  std::thread thread_;
};

TEST(BaseTurns, threads_take_turns) {
  Turns turns;
  int value = 0;  // without turns, access to it would be a data race
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i)
    threads.emplace_back([&] {
      for (int k = 0; k < 10000; ++k) {
        const std::lock_guard turn(turns);
        ++value;
      }
    });
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(value, 40000);
}

TEST(BaseTurns, a_thread_with_a_turn_can_take_a_second_turn) {
  Turns turns;
  const std::lock_guard first(turns);
  const std::lock_guard second(turns);
}

TEST(BaseTurns, a_child_of_an_idle_process_has_turns) {
  Turns turns;
  { const std::lock_guard turn(turns); }
  EXPECT_EQ(in_child([&] {
              const std::lock_guard turn(turns);
              return std::string("turn");
            }),
            "turn");
}

TEST(BaseTurns, a_child_is_refused_a_turn_that_a_thread_of_its_parent_has) {
  Turns turns;
  Holder holder(turns);
  const std::string answer = in_child([&] {
    const std::lock_guard turn(turns);
    return std::string("turn");
  });
  holder.let_go();
  EXPECT_EQ(answer.find("unsupported: "), 0U) << answer;
  EXPECT_NE(answer.find("fork between calls"), std::string::npos) << answer;
}

TEST(BaseProcessMutex, a_fork_waits_until_the_mutex_is_free) {
  ProcessMutex mutex;
  ProcessMutex another;
  Holder holder(mutex);
  std::thread later([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
    holder.let_go();
  });
  const std::string answer = in_child([&] {
    const std::scoped_lock lock(mutex, another);
    return std::string("locked");
  });
  later.join();
  EXPECT_EQ(answer, "locked");
  EXPECT_TRUE(mutex.try_lock()) << "the parent's mutex is free again";
  mutex.unlock();
}

}  // namespace
}  // namespace weft
