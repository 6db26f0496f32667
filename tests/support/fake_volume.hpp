#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <map>
#include <random>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <weft/error.hpp>

#include "disk/volume.hpp"

namespace weft::test_support {

/// When a FakeVolume copies the data of its transfers. A real disk copies at any time between start
/// and wait.
enum class Landing {
  in_wait,   ///< as late as possible: in wait(), so a transfer without a wait copies nothing
  at_random  ///< each start or wait copies a random choice of the runs under way
};

/// A volume in memory. start_read() overwrites the target with 0xff bytes, so a caller that does
/// not wait gets wrong results. The volume counts its transfers, and fails on request. If a caller
/// breaks the contract of disk::Volume, the volume throws an Error with code `internal`.
class FakeVolume final : public disk::Volume {
 public:
  explicit FakeVolume(std::int64_t bytes, Landing landing = Landing::in_wait,
                      std::uint64_t seed = 0)
      : data_(static_cast<std::size_t>(bytes)), landing_(landing), random_(seed) {}

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
  /// Returns the number of writes that started while a read was under way.
  std::int64_t writes_beside_a_read() const { return writes_beside_a_read_; }
  /// After this number of further waits (or starts of writes), the next one throws io_failure.
  void fail_wait(std::int64_t waits) { waits_to_failure_ = waits; }
  void fail_write(std::int64_t starts) { writes_to_failure_ = starts; }
  /// The first `polls` calls of has_ended(), for all transfers together, return false.
  void end_after(std::int64_t polls) { polls_to_end_ = polls; }

  std::int64_t bytes() const override { return static_cast<std::int64_t>(data_.size()); }

  Ticket start_read(std::span<const disk::Run> runs) override {
    for (const disk::Run& run : runs)
      if (run.bytes > 0) std::memset(run.memory, 0xff, static_cast<std::size_t>(run.bytes));
    return start(runs, false, reads_);
  }

  Ticket start_write(std::span<const disk::Run> runs) override {
    if (writes_to_failure_-- == 0) fail();
    if (before_write) before_write();
    if (std::any_of(under_way_.begin(), under_way_.end(),
                    [](const auto& other) { return !other.second.is_write; }))
      ++writes_beside_a_read_;
    return start(runs, true, writes_);
  }

  void wait(Ticket ticket) override {
    land_some();
    Transfer transfer = std::move(found(ticket));
    under_way_.erase(ticket);
    if (waits_to_failure_-- == 0) fail();
    while (!transfer.to_land.empty()) land_one(transfer);
  }

  bool has_ended(Ticket ticket) override {
    found(ticket);
    return ++polls_ > polls_to_end_;
  }

  void flush() override {
    if (std::any_of(under_way_.begin(), under_way_.end(),
                    [](const auto& other) { return other.second.is_write; }))
      broken("a flush while a write is under way, which it does not cover");
  }

 private:
  struct Transfer {
    std::vector<disk::Run> runs;
    std::vector<disk::Run> to_land;  ///< the runs that are not copied yet
    bool is_write = false;
  };

  [[noreturn]] static void broken(const std::string& what) {
    throw Error(ErrorCode::internal, what);
  }

  [[noreturn]] static void fail() {
    throw Error(ErrorCode::io_failure, "this volume fails on purpose");
  }

  Transfer& found(Ticket ticket) {
    const auto place = under_way_.find(ticket);
    if (place == under_way_.end()) broken("no such ticket: " + std::to_string(ticket));
    return place->second;
  }

  Ticket start(std::span<const disk::Run> runs, bool is_write, Counts& counts) {
    for (const disk::Run& run : runs) {
      if (run.offset < 0 || run.bytes < 0 || run.offset + run.bytes > bytes())
        broken("a run of " + std::to_string(run.bytes) + " bytes at " + std::to_string(run.offset));
      shortest_run_ = counts_nothing() ? run.bytes : std::min(shortest_run_, run.bytes);
      ++counts.runs;
      counts.bytes += run.bytes;
      require_apart(run, is_write);
    }
    ++counts.transfers;
    under_way_[next_] = {{runs.begin(), runs.end()}, {runs.begin(), runs.end()}, is_write};
    most_under_way_ = std::max(most_under_way_, under_way_.size());
    land_some();
    return next_++;
  }

  void require_apart(const disk::Run& run, bool is_write) const {
    for (const auto& [ticket, other] : under_way_)
      for (const disk::Run& far : other.runs)
        if ((is_write || other.is_write) && run.bytes > 0 && far.bytes > 0 &&
            run.offset < far.offset + far.bytes && far.offset < run.offset + run.bytes)
          broken("two transfers touch byte " + std::to_string(std::max(run.offset, far.offset)));
  }

  void land_some() {
    if (landing_ != Landing::at_random) return;
    for (auto& [ticket, transfer] : under_way_)
      while (!transfer.to_land.empty() && random_() % 2 == 0) land_one(transfer);
  }

  void land_one(Transfer& transfer) {
    std::size_t k = 0;
    if (landing_ == Landing::at_random) k = random_() % transfer.to_land.size();
    const disk::Run run = transfer.to_land[k];
    transfer.to_land[k] = transfer.to_land.back();
    transfer.to_land.pop_back();
    std::byte* const place = data_.data() + run.offset;
    if (run.bytes > 0)
      std::memcpy(transfer.is_write ? place : run.memory, transfer.is_write ? run.memory : place,
                  static_cast<std::size_t>(run.bytes));
  }

  bool counts_nothing() const { return reads_.runs + writes_.runs == 0; }

  std::vector<std::byte> data_;
  Landing landing_;
  std::mt19937_64 random_;
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
