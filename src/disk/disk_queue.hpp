#pragma once

#include <array>
#include <cstddef>
#include <deque>

#include "disk/job.hpp"

namespace weft::disk {

/// Waiting accesses of one disk, and the number in progress. Reads and writes share the disk. If
/// reads and writes wait, the kind with fewer accesses in progress is next. If the numbers are
/// equal, reads and writes take turns. Accesses of one kind begin in the order of arrival. With a
/// single queue, all reads of a panel would wait for all writes of another panel, or the reverse.
class DiskQueue {
 public:
  void push(Job& job) { of(job.access.direction()).waiting.push_back(&job); }

  bool is_empty() const { return kinds_[0].waiting.empty() && kinds_[1].waiting.empty(); }

  int under_way() const { return kinds_[0].under_way + kinds_[1].under_way; }

  /// Returns the next job, which begins now. The queue is not empty.
  Job& begin() {
    last_ = next();
    JobKind& kind = kinds_.at(last_);
    Job& job = *kind.waiting.front();
    kind.waiting.pop_front();
    ++kind.under_way;
    return job;
  }

  /// Notes the end of a job that was begun.
  void end(AccessDirection direction) { --of(direction).under_way; }

 private:
  struct JobKind {
    std::deque<Job*> waiting;
    int under_way = 0;
  };

  JobKind& of(AccessDirection direction) {
    return kinds_.at(direction == AccessDirection::read ? 0 : 1);
  }

  std::size_t next() const {
    if (kinds_[0].waiting.empty()) return 1;
    if (kinds_[1].waiting.empty()) return 0;
    if (kinds_[0].under_way == kinds_[1].under_way) return 1 - last_;
    return kinds_[0].under_way < kinds_[1].under_way ? 0 : 1;
  }

  std::array<JobKind, 2> kinds_;
  std::size_t last_ = 1;
};

}  // namespace weft::disk
