#pragma once

#include <algorithm>
#include <cstring>
#include <functional>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include <weft/error.hpp>

#include "disk/volume.hpp"

namespace weft::test_support {

/// A volume in memory. A transfer happens in wait() and not before, and what is to be read is
/// spoilt until then, so that results are wrong if someone does not wait. Throws internal when the
/// contract of Volume is broken.
class VolumeInMemory : public disk::Volume {
 public:
  explicit VolumeInMemory(std::int64_t bytes) : data_(static_cast<std::size_t>(bytes)) {}

  template <class T>
  T* as() {
    return reinterpret_cast<T*>(data_.data());
  }

  struct Counts {
    std::int64_t transfers = 0;
    std::int64_t runs = 0;
    std::int64_t bytes = 0;
  };
  Counts reads() const { return reads_; }
  Counts writes() const { return writes_; }
  std::int64_t shortest_run() const { return shortest_run_; }
  std::size_t under_way() const { return under_way_.size(); }
  std::size_t most_under_way() const { return most_under_way_; }
  /// Called before a write starts.
  std::function<void()> before_write;
  /// Writes that started while something was being read.
  std::int64_t writes_beside_a_read() const { return writes_beside_a_read_; }
  /// The wait that many from now throws io_failure, or the write that many starts from now.
  void fail_wait(std::int64_t waits) { waits_to_failure_ = waits; }
  void fail_write(std::int64_t starts) { writes_to_failure_ = starts; }
  /// A transfer is said to have ended when that has been asked so often, of any.
  void end_after(std::int64_t polls) { polls_to_end_ = polls; }

  std::int64_t bytes() const override { return static_cast<std::int64_t>(data_.size()); }

  Ticket start_read(std::span<const disk::Run> runs) override {
    for (const disk::Run& run : runs)
      std::memset(run.memory, 0xff, static_cast<std::size_t>(run.bytes));
    return start(runs, false, reads_);
  }

  Ticket start_write(std::span<const disk::Run> runs) override {
    if (writes_to_failure_-- == 0) fail();
    if (before_write) before_write();
    for (const auto& [ticket, other] : under_way_)
      if (!other.is_write) {
        ++writes_beside_a_read_;
        break;
      }
    return start(runs, true, writes_);
  }

  void wait(Ticket ticket) override {
    const auto found = under_way_.find(ticket);
    if (found == under_way_.end()) broken("no such ticket: " + std::to_string(ticket));
    const Transfer transfer = std::move(found->second);
    under_way_.erase(found);
    if (waits_to_failure_-- == 0) fail();
    for (const disk::Run& run : transfer.runs) {
      std::byte* here = data_.data() + run.offset;
      std::memcpy(transfer.is_write ? here : run.memory, transfer.is_write ? run.memory : here,
                  static_cast<std::size_t>(run.bytes));
    }
  }

  bool has_ended(Ticket ticket) override {
    if (!under_way_.contains(ticket)) broken("no such ticket: " + std::to_string(ticket));
    return ++polls_ > polls_to_end_;
  }

  void flush() override {}

 private:
  struct Transfer {
    std::vector<disk::Run> runs;
    bool is_write = false;
  };

  [[noreturn]] static void broken(const std::string& what) {
    throw Error(ErrorCode::internal, what);
  }

  [[noreturn]] static void fail() {
    throw Error(ErrorCode::io_failure, "this volume was told to fail");
  }

  Ticket start(std::span<const disk::Run> runs, bool is_write, Counts& counts) {
    for (const disk::Run& run : runs) {
      if (run.offset < 0 || run.bytes < 1 || run.offset + run.bytes > bytes())
        broken("a run of " + std::to_string(run.bytes) + " bytes at " + std::to_string(run.offset));
      shortest_run_ = counts_nothing() ? run.bytes : std::min(shortest_run_, run.bytes);
      ++counts.runs;
      counts.bytes += run.bytes;
      for (const auto& [ticket, other] : under_way_)
        for (const disk::Run& far : other.runs)
          if ((is_write || other.is_write) && run.offset < far.offset + far.bytes &&
              far.offset < run.offset + run.bytes)
            broken("two transfers touch byte " + std::to_string(std::max(run.offset, far.offset)));
    }
    ++counts.transfers;
    under_way_[next_] = {{runs.begin(), runs.end()}, is_write};
    most_under_way_ = std::max(most_under_way_, under_way_.size());
    return next_++;
  }

  bool counts_nothing() const { return reads_.runs + writes_.runs == 0; }

  std::vector<std::byte> data_;
  std::map<Ticket, Transfer> under_way_;
  Ticket next_ = 1;
  Counts reads_;
  Counts writes_;
  std::int64_t shortest_run_ = 0;
  std::size_t most_under_way_ = 0;
  std::int64_t writes_beside_a_read_ = 0;
  std::int64_t waits_to_failure_ = -1;
  std::int64_t writes_to_failure_ = -1;
  std::int64_t polls_ = 0;
  std::int64_t polls_to_end_ = 0;
};

}  // namespace weft::test_support
