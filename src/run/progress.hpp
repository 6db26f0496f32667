#pragma once

#include <algorithm>
#include <chrono>
#include <vector>

#include "exchange/exchange.hpp"
#include "kernel/progress.hpp"

namespace weft::run {

/// The exchanges that are under way while stages work. MPI moves large messages only inside its
/// calls, so stages call it between tiles.
class Progress final : public kernel::Progress {
 public:
  void add(exchange::Executor* executor) { active_.push_back(executor); }
  void remove(exchange::Executor* executor) { std::erase(active_, executor); }
  /// Room for so many, lest adding allocates.
  void reserve(std::size_t count) { active_.reserve(count); }

  void poke() override {
    if (active_.empty()) return;
    const auto now = std::chrono::steady_clock::now();
    if (now - last_ < interval) return;
    for (exchange::Executor* executor : active_) executor->progress();
    last_ = std::chrono::steady_clock::now();
  }

 private:
  /// A look costs about a microsecond, more over TCP; a message of 64 KiB takes longer than this.
  static constexpr std::chrono::microseconds interval{20};

  std::vector<exchange::Executor*> active_;
  std::chrono::steady_clock::time_point last_{};
};

}  // namespace weft::run
