#pragma once

#include <cstddef>
#include <list>
#include <map>
#include <memory>
#include <mutex>

#include "base/process_mutex.hpp"
#include "kernel/engine.hpp"

namespace weft::kernel {

/// The line transforms of one engine and precision, each made once and shared.
///
/// Transforms in use are found through weak references, so that dropping the last transform of a
/// problem frees its plan and tables. The most recent ones are kept as well. Otherwise a program
/// that makes, runs and drops the same transform in a loop would plan it every time. With
/// Effort::measure that costs more than the transform. The number is limited by `held_max`, and the
/// length by `held_length_max`, because a plan for a long line has tables of many megabytes.
class LineCache {
 public:
  static constexpr std::size_t held_max = 64;
  static constexpr std::int64_t held_length_max = 32768;

  /// Returns the transform of the problem, or `make(problem)` if there is none. Other threads with
  /// the same request wait, so that none is made twice.
  template <class Make>
  std::shared_ptr<const LineTransform> get(const LineProblem& problem, Make make) {
    // Outlives the lock: destroying a plan may wait for the planner of another thread.
    Held dropped;
    const std::lock_guard lock(mutex_);
    const auto known = known_.find(problem);
    auto transform = known == known_.end() ? nullptr : known->second.lock();
    if (!transform) {
      std::erase_if(known_, [](const auto& entry) { return entry.second.expired(); });
      transform = make(problem);
      known_[problem] = transform;
    }
    hold(transform, problem.length, dropped);
    return transform;
  }

 private:
  using Held = std::list<std::shared_ptr<const LineTransform>>;

  /// Moves the transform to the front of the kept ones, and the last one to `dropped` if there are
  /// too many.
  void hold(const std::shared_ptr<const LineTransform>& transform, std::int64_t length,
            Held& dropped) {
    if (length > held_length_max) return;
    held_.remove(transform);
    held_.push_front(transform);
    if (held_.size() > held_max) dropped.splice(dropped.end(), held_, std::prev(held_.end()));
  }

  ProcessMutex mutex_;
  std::map<LineProblem, std::weak_ptr<const LineTransform>> known_;
  Held held_;
};

}  // namespace weft::kernel
