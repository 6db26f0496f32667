#pragma once

#include <algorithm>
#include <chrono>
#include <utility>
#include <vector>

#include "exchange/exchange.hpp"
#include "kernel/progress.hpp"
#include "run/gate.hpp"

namespace weft::run {

/// Calls MPI between the tiles of a stage, because MPI moves large messages only inside its calls.
/// These calls advance the exchanges under way, and the gate before the first exchange.
class StageProgress final : public kernel::Progress {
 public:
  void add(exchange::Executor* executor) { active_.push_back(executor); }
  void remove(exchange::Executor* executor) { std::erase(active_, executor); }
  /// Makes the next exchange wait at `gate`. null: it does not wait.
  void hold_at(Gate* gate) { gate_ = gate; }
  void pass_gate() {
    if (gate_) std::exchange(gate_, nullptr)->pass();
  }
  /// Sets whether other stages run between the start of an exchange and the wait for it.
  void set_overlaps(bool overlaps) { overlaps_ = overlaps; }
  bool overlaps() const { return overlaps_; }
  /// Reserves memory, so that adding does not allocate.
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
  /// A progress call costs about a microsecond, more over TCP. A message of 64 KiB takes longer
  /// than this interval.
  static constexpr std::chrono::microseconds interval{20};

  std::vector<exchange::Executor*> active_;
  Gate* gate_ = nullptr;
  bool overlaps_ = false;
  std::chrono::steady_clock::time_point last_{};
};

}  // namespace weft::run
