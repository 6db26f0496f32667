#pragma once

#include <atomic>
#include <cstdint>
#include <vector>

namespace weft::comm {

/// A rank's flags in node memory, on a cache line of their own; zero bytes are a valid start.
struct alignas(64) HandOverSlot {
  std::atomic<std::uint32_t> arrivals{0};  ///< also the word that sleepers wait on
  std::atomic<std::uint32_t> sleepers{0};
};
static_assert(std::atomic<std::uint32_t>::is_always_lock_free);

/// Lets ranks that share memory pass arrays to each other without a message: what a rank wrote
/// before arrive() may be read by the others after their wait().
///
/// Waiting spins shortly, then gives the core away, then sleeps until the late rank arrives, so
/// that more ranks than cores work. Knows nothing of MPI: threads can stand in for ranks.
class HandOver {
 public:
  HandOver() = default;
  /// `slots`: of all ranks, in rank order, as this process sees them.
  HandOver(std::vector<HandOverSlot*> slots, int rank);

  int size() const { return static_cast<int>(slots_.size()); }

  /// This rank has done its part. Streamed stores must have been finished before.
  void arrive();
  /// Returns when every rank has arrived as often as this one.
  void wait() const;
  /// Both: a barrier.
  void meet() {
    arrive();
    wait();
  }

 private:
  std::vector<HandOverSlot*> slots_;
  int rank_ = 0;
  std::uint32_t arrived_ = 0;
  int spins_ = 0;
};

}  // namespace weft::comm
