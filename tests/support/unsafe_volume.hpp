#pragma once

// Disks during a power failure: processes end, and writes without a flush may be lost.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <map>
#include <utility>
#include <vector>

#include <weft/error.hpp>

#include "disk/volume.hpp"
#include "support/random_layouts.hpp"

namespace weft::test_support {

/// Simulates a power failure: after a number of operations on all volumes together, use() throws.
class Power {
 public:
  explicit Power(std::int64_t operations) : left_(operations) {}
  void use() {
    ++used_;
    if (left_-- == 0) throw Error(ErrorCode::io_failure, "the power has failed");
  }
  std::int64_t used() const { return used_; }

 private:
  std::int64_t left_;
  std::int64_t used_ = 0;
};

/// A volume whose writes are safe only after a flush. At a power failure, each sector written since
/// the last flush keeps either its new or its old content.
class UnsafeVolume final : public disk::Volume {
 public:
  explicit UnsafeVolume(std::int64_t bytes)
      : seen_(static_cast<std::size_t>(bytes)), safe_(seen_) {}

  std::vector<std::byte>& content() { return seen_; }
  void begin_with(const std::vector<std::byte>& content) { seen_ = safe_ = content; }
  void use(Power* power) { power_ = power; }

  void fail(Random& random) {
    constexpr std::size_t sector = 512;
    for (std::size_t at = 0; at < seen_.size(); at += sector)
      if (draw(random, 0, 1) == 1)
        std::copy_n(seen_.begin() + static_cast<std::ptrdiff_t>(at),
                    std::min(sector, seen_.size() - at),
                    safe_.begin() + static_cast<std::ptrdiff_t>(at));
    seen_ = safe_;
    under_way_.clear();
  }

  std::int64_t bytes() const override { return static_cast<std::int64_t>(seen_.size()); }
  Ticket start_read(std::span<const disk::Run> runs) override { return start(runs, false); }
  Ticket start_write(std::span<const disk::Run> runs) override { return start(runs, true); }
  void wait(Ticket ticket) override {
    const Transfer transfer = std::move(under_way_.at(ticket));
    under_way_.erase(ticket);
    for (const disk::Run& run : transfer.runs) {
      power_->use();
      std::byte* here = seen_.data() + run.offset;
      std::memcpy(transfer.is_write ? here : run.memory, transfer.is_write ? run.memory : here,
                  static_cast<std::size_t>(run.bytes));
    }
  }
  bool has_ended(Ticket) override { return true; }
  void flush() override {
    power_->use();
    for (const auto& [ticket, transfer] : under_way_)
      if (transfer.is_write) throw Error(ErrorCode::internal, "a flush while a write is under way");
    safe_ = seen_;
  }

 private:
  struct Transfer {
    std::vector<disk::Run> runs;
    bool is_write = false;
  };

  Ticket start(std::span<const disk::Run> runs, bool is_write) {
    power_->use();
    under_way_[next_] = {{runs.begin(), runs.end()}, is_write};
    return next_++;
  }

  std::vector<std::byte> seen_;
  std::vector<std::byte> safe_;
  std::map<Ticket, Transfer> under_way_;
  Ticket next_ = 0;
  Power* power_ = nullptr;
};

}  // namespace weft::test_support
