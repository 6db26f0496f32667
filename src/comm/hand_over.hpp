#pragma once

#include <atomic>
#include <cstdint>
#include <vector>

namespace weft::comm {

/// The flags of a rank in node memory, on a separate cache line. Zero bytes are a valid start.
struct alignas(64) HandOverSlot {
  std::atomic<std::uint32_t> arrivals{0};  ///< also the word that sleepers wait on
  std::atomic<std::uint32_t> sleepers{0};
};
static_assert(std::atomic<std::uint32_t>::is_always_lock_free);

/// Synchronises ranks that share memory, without messages: after wait(), a rank may read data that
/// others wrote before arrive().
///
/// A wait spins shortly, then yields the core, then sleeps until the late rank arrives, so that
/// more ranks than cores work. It does not use MPI, so threads can replace ranks.
class HandOver {
 public:
  HandOver() = default;
  /// `slots`: of all ranks, in rank order, as this process sees them.
  HandOver(std::vector<HandOverSlot*> slots, int rank);

  int size() const { return static_cast<int>(slots_.size()); }

  /// Signals that this rank has done its part. Streamed stores must be complete before.
  void arrive();
  /// Returns when every rank has arrived as often as this one.
  void wait() const;
  /// Arrives and waits: a barrier.
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
