#pragma once

#include <atomic>
#include <cstdint>
#include <vector>

namespace weft::comm {

/// The flags of a rank in node memory, on a separate cache line. Zero bytes are a valid start.
struct alignas(64) HandOverSlot {
  std::atomic<std::uint32_t> arrivals{0};  ///< number of arrivals; sleeping ranks wait for a change
                                           ///< of it
  std::atomic<std::uint32_t> sleepers{0};
};
static_assert(std::atomic<std::uint32_t>::is_always_lock_free);

/// Synchronises ranks that share memory, without messages. After wait(), a rank may read data that
/// others wrote before arrive().
///
/// A wait spins for a short time, then yields the core, then sleeps until the late rank arrives. So
/// waiting also works with more ranks than cores. This class does not use MPI, so tests can use
/// threads as ranks.
class HandOver {
 public:
  HandOver() = default;
  /// `slots` has the addresses of the slots of all ranks in this process, in rank order.
  HandOver(std::vector<HandOverSlot*> slots, int rank);

  int size() const { return static_cast<int>(slots_.size()); }

  /// Signals that this rank has done its part. The rank must first complete its non-temporal
  /// stores.
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
