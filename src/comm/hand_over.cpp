#include "comm/hand_over.hpp"

#include <linux/futex.h>
#include <sched.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <ctime>
#include <thread>

namespace weft::comm {
namespace {

/// Number of spins, if each rank has its own core. They take about 20 microseconds, which covers
/// small differences between ranks. If ranks share cores, there are no spins, because the late rank
/// may need this core.
constexpr int spins_with_a_core_each = 2000;
/// Number of yields before sleeping. They cost less than a sleep and a wake-up.
constexpr int yields = 200;
/// A sleeper checks again after this time, even without a wake-up.
constexpr timespec longest_sleep{0, 20'000'000};

/// Returns whether the counter `arrivals` has reached `wanted`. The counter wraps around.
bool reached(std::uint32_t arrivals, std::uint32_t wanted) {
  return static_cast<std::int32_t>(arrivals - wanted) >= 0;
}

void pause_core() {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#endif
}

/// Calls futex without FUTEX_PRIVATE, because processes share the memory of the word.
void futex(const std::atomic<std::uint32_t>& word, int operation, std::uint32_t value,
           const timespec* timeout) {
  syscall(SYS_futex, reinterpret_cast<const std::uint32_t*>(&word), operation, value, timeout,
          nullptr, 0);
}

void wait_for(HandOverSlot& slot, std::uint32_t wanted, int spins) {
  for (int i = 0; i < spins; ++i) {
    if (reached(slot.arrivals.load(std::memory_order_acquire), wanted)) return;
    pause_core();
  }
  for (int i = 0; i < yields; ++i) {
    if (reached(slot.arrivals.load(std::memory_order_acquire), wanted)) return;
    sched_yield();
  }
  slot.sleepers.fetch_add(1, std::memory_order_seq_cst);
  while (true) {
    const std::uint32_t seen = slot.arrivals.load(std::memory_order_seq_cst);
    if (reached(seen, wanted)) break;
    futex(slot.arrivals, FUTEX_WAIT, seen, &longest_sleep);
  }
  slot.sleepers.fetch_sub(1, std::memory_order_relaxed);
}

}  // namespace

HandOver::HandOver(std::vector<HandOverSlot*> slots, int rank)
    : slots_(std::move(slots)), rank_(rank) {
  const unsigned cores = std::thread::hardware_concurrency();
  spins_ = slots_.size() <= cores ? spins_with_a_core_each : 0;
}

void HandOver::arrive() {
  HandOverSlot& slot = *slots_[static_cast<std::size_t>(rank_)];
  // This store and the sleeper's increment are sequentially consistent. So at least one of the
  // two ranks sees the change of the other.
  slot.arrivals.store(++arrived_, std::memory_order_seq_cst);
  if (slot.sleepers.load(std::memory_order_seq_cst) > 0)
    futex(slot.arrivals, FUTEX_WAKE, INT32_MAX, nullptr);
}

void HandOver::wait() const {
  for (int other = 1; other < size(); ++other)
    wait_for(*slots_[static_cast<std::size_t>((rank_ + other) % size())], arrived_, spins_);
}

}  // namespace weft::comm
