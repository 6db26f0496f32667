#pragma once

#include <algorithm>
#include <chrono>
#include <utility>
#include <vector>

#include "exchange/exchange.hpp"
#include "kernel/progress.hpp"
#include "run/gate.hpp"

namespace weft::run {

/// What is under way while stages work: exchanges, or the gate before the first of them. MPI moves
/// large messages only inside its calls, so stages call it between tiles.
class StageProgress final : public kernel::Progress {
 public:
  void add(exchange::Executor* executor) { active_.push_back(executor); }
  void remove(exchange::Executor* executor) { std::erase(active_, executor); }
  /// Has the next exchange wait at `gate`; null: at none.
  void hold_at(Gate* gate) { gate_ = gate; }
  void pass_gate() {
    if (gate_) std::exchange(gate_, nullptr)->pass();
  }
  /// Whether other stages work while an exchange that was started is not yet waited for.
  void set_overlaps(bool overlaps) { overlaps_ = overlaps; }
  bool overlaps() const { return overlaps_; }
  /// Room for so many, lest adding allocates.
  void reserve(std::size_t count) { active_.reserve(count); }

  void poke() override {
    if (active_.empty() && !gate_) return;
    const auto now = std::chrono::steady_clock::now();
    if (now - last_ < interval) return;
    if (gate_) gate_->progress();
    for (exchange::Executor* executor : active_) executor->progress();
    last_ = std::chrono::steady_clock::now();
  }

 private:
  /// A look costs about a microsecond, more over TCP; a message of 64 KiB takes longer than this.
  static constexpr std::chrono::microseconds interval{20};

  std::vector<exchange::Executor*> active_;
  Gate* gate_ = nullptr;
  bool overlaps_ = false;
  std::chrono::steady_clock::time_point last_{};
};

}  // namespace weft::run
