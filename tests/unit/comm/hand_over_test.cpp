// Threads replace ranks, because the hand-over does not use MPI. `make test-tsan` runs these tests
// under ThreadSanitizer, which would report every race.
#include "comm/hand_over.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <functional>
#include <thread>
#include <vector>

namespace weft::comm {
namespace {

/// Runs `body(rank, hand_over)` in one thread for each rank.
void on_ranks(int ranks, const std::function<void(int, HandOver&)>& body) {
  std::vector<HandOverSlot> slots(static_cast<std::size_t>(ranks));
  std::vector<HandOverSlot*> pointers;
  for (HandOverSlot& slot : slots) pointers.push_back(&slot);
  std::vector<std::thread> threads;
  for (int rank = 0; rank < ranks; ++rank)
    threads.emplace_back([&, rank] {
      HandOver hand_over(pointers, rank);
      body(rank, hand_over);
    });
  for (std::thread& thread : threads) thread.join();
}

class HandOverRanks : public testing::TestWithParam<int> {};

/// In turns, every rank fills its own array and then reads the arrays of all ranks, as stages of a
/// transform do.
TEST_P(HandOverRanks, values_written_before_a_meeting_are_read_after) {
  const int ranks = GetParam();
  constexpr int repeats = 500;
  constexpr std::size_t length = 64;
  std::vector<std::vector<int>> arrays(static_cast<std::size_t>(ranks), std::vector<int>(length));
  std::vector<int> wrong(static_cast<std::size_t>(ranks));
  on_ranks(ranks, [&](int rank, HandOver& hand_over) {
    for (int repeat = 0; repeat < repeats; ++repeat) {
      for (int& value : arrays[static_cast<std::size_t>(rank)]) value = repeat * ranks + rank;
      hand_over.meet();
      for (int peer = 0; peer < ranks; ++peer)
        for (const int value : arrays[static_cast<std::size_t>(peer)])
          wrong[static_cast<std::size_t>(rank)] += value != repeat * ranks + peer;
      hand_over.meet();
    }
  });
  for (const int count : wrong) EXPECT_EQ(count, 0);
}

/// One rank is so late that the others stop spinning and yielding. They sleep, and must be woken.
TEST_P(HandOverRanks, a_late_rank_is_waited_for) {
  const int ranks = GetParam();
  std::vector<int> seen(static_cast<std::size_t>(ranks));
  int written = 0;
  on_ranks(ranks, [&](int rank, HandOver& hand_over) {
    if (rank == ranks - 1) {
      std::this_thread::sleep_for(std::chrono::milliseconds(80));
      written = 42;
    }
    hand_over.meet();
    seen[static_cast<std::size_t>(rank)] = written;
  });
  for (const int value : seen) EXPECT_EQ(value, 42);
}

/// Arriving and waiting may be separate calls. A rank that is ahead does not confuse the others.
TEST_P(HandOverRanks, arriving_and_waiting_may_be_separate) {
  const int ranks = GetParam();
  constexpr int repeats = 300;
  std::vector<int> values(static_cast<std::size_t>(ranks));
  std::vector<int> wrong(static_cast<std::size_t>(ranks));
  on_ranks(ranks, [&](int rank, HandOver& hand_over) {
    for (int repeat = 0; repeat < repeats; ++repeat) {
      hand_over.wait();  // waits for the end of the previous repetition
      values[static_cast<std::size_t>(rank)] = repeat;
      hand_over.meet();
      for (const int value : values) wrong[static_cast<std::size_t>(rank)] += value != repeat;
      hand_over.arrive();
    }
  });
  for (const int count : wrong) EXPECT_EQ(count, 0);
}

INSTANTIATE_TEST_SUITE_P(Ranks, HandOverRanks, testing::Values(1, 2, 3, 5, 8));

}  // namespace
}  // namespace weft::comm
