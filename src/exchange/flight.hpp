#pragma once

#include <chrono>

namespace weft::exchange {

/// Measures the time in which messages are under way: from their start in MPI until this rank
/// notices their completion.
class Flight {
 public:
  using Clock = std::chrono::steady_clock;

  /// Sets whether messages are under way now.
  void update(bool under_way) {
    if (under_way == under_way_) return;
    const Clock::time_point now = Clock::now();
    if (under_way_) seconds_ += std::chrono::duration<double>(now - since_).count();
    since_ = now;
    under_way_ = under_way;
  }
  double seconds() const { return seconds_; }

 private:
  Clock::time_point since_{};
  double seconds_ = 0;
  bool under_way_ = false;
};

}  // namespace weft::exchange
