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
/// The cache has weak references to the transforms in use, so the last user of a transform frees
/// its plan and tables. The cache also keeps the most recent transforms. Otherwise a program that
/// makes, runs and drops the same transform in a loop would plan it every time. With
/// Effort::measure that costs more than the transform. At most `kept_max` transforms are kept, and
/// none of more than `kept_length_max` points, because a plan for a long line has tables of many
/// megabytes.
class LineCache {
 public:
  static constexpr std::size_t kept_max = 64;
  static constexpr std::int64_t kept_length_max = 32768;

  /// Returns the transform of the problem; calls make(problem) if the cache has none. Other threads
  /// wait until it is made, so that no transform is made twice.
  template <class Make>
  std::shared_ptr<const LineTransform> get(const LineProblem& problem, Make make) {
    // Declared first, so that it is destroyed after the unlock. Its destruction may wait for
    // another thread's planner.
    Kept dropped;
    const std::lock_guard lock(mutex_);
    const auto known = known_.find(problem);
    auto transform = known == known_.end() ? nullptr : known->second.lock();
    if (!transform) {
      std::erase_if(known_, [](const auto& entry) { return entry.second.expired(); });
      transform = make(problem);
      known_[problem] = transform;
    }
    keep(transform, problem.length, dropped);
    return transform;
  }

 private:
  using Kept = std::list<std::shared_ptr<const LineTransform>>;

  /// Moves the transform to the front of the kept ones. If these are too many, moves the last one
  /// to `dropped`.
  void keep(const std::shared_ptr<const LineTransform>& transform, std::int64_t length,
            Kept& dropped) {
    if (length > kept_length_max) return;
    kept_.remove(transform);
    kept_.push_front(transform);
    if (kept_.size() > kept_max) dropped.splice(dropped.end(), kept_, std::prev(kept_.end()));
  }

  ProcessMutex mutex_;
  std::map<LineProblem, std::weak_ptr<const LineTransform>> known_;
  Kept kept_;
};

}  // namespace weft::kernel
