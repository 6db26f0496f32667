#pragma once

#include <cstring>
#include <map>
#include <memory>
#include <set>
#include <utility>
#include <vector>

#include <weft/error.hpp>

#include "bmmc/plan/bmmc.hpp"
#include "disk/volume.hpp"

namespace weft::test_support {

/// D disks in memory, with N records. They count parallel I/Os exactly: each ticket is one parallel
/// I/O. Transfers happen only in wait(). Throws internal if a ticket has two blocks of a disk,
/// partial blocks, or blocks on disks of another processor.
class ModelDisks : public disk::Volume {
 public:
  explicit ModelDisks(const bmmc::DiskModel& disks, std::size_t record_bytes = 8)
      : disks_(disks),
        record_bytes_(record_bytes),
        data_(
            std::make_shared<Data>(static_cast<std::size_t>(disks.records()) * record_bytes / 8)) {}

  /// Returns the same disks as one processor sees them.
  ModelDisks seen_by(int processor) const {
    ModelDisks view = *this;
    view.processor_ = processor;
    return view;
  }

  std::vector<std::uint64_t>& records() { return *data_; }
  template <class T>
  T* as() {
    return reinterpret_cast<T*>(data_->data());
  }
  std::int64_t reads() const { return reads_; }
  std::int64_t writes() const { return writes_; }
  std::int64_t independent_reads() const { return independent_reads_; }
  std::int64_t independent_writes() const { return independent_writes_; }
  std::int64_t under_way() const { return std::ssize(started_); }
  /// Makes wait() fail for this ticket.
  void fail_ticket(Ticket ticket) { failing_ = ticket; }

  std::int64_t bytes() const override { return std::ssize(*data_) * 8; }

  Ticket start_read(std::span<const disk::Run> runs) override {
    check(runs);
    ++reads_;
    independent_reads_ += is_striped(runs) ? 0 : 1;
    return start(runs, false);
  }
  Ticket start_write(std::span<const disk::Run> runs) override {
    check(runs);
    ++writes_;
    independent_writes_ += is_striped(runs) ? 0 : 1;
    return start(runs, true);
  }

  void wait(Ticket ticket) override {
    const auto found = started_.find(ticket);
    if (found == started_.end()) throw Error(ErrorCode::internal, "there is no such ticket");
    const auto [runs, writes] = found->second;
    started_.erase(found);
    if (ticket == failing_) throw Error(ErrorCode::io_failure, "a model disk fails on purpose");
    for (const disk::Run& run : runs) {
      std::byte* const place = reinterpret_cast<std::byte*>(data_->data()) + run.offset;
      const auto bytes = static_cast<std::size_t>(run.bytes);
      if (writes)
        std::memcpy(place, run.memory, bytes);
      else
        std::memcpy(run.memory, place, bytes);
    }
  }

  bool has_ended(Ticket) override { return true; }
  void flush() override {}

 private:
  using Data = std::vector<std::uint64_t>;

  std::int64_t block_bytes() const { return static_cast<std::int64_t>(record_bytes_ << disks_.b); }
  std::int64_t block(const disk::Run& run) const { return run.offset / block_bytes(); }
  std::int64_t disk(const disk::Run& run) const { return block(run) & ((1 << disks_.d) - 1); }

  bool is_striped(std::span<const disk::Run> runs) const {
    for (const disk::Run& run : runs)
      if (block(run) >> disks_.d != block(runs.front()) >> disks_.d) return false;
    return runs.size() == std::size_t{1} << (disks_.d - (processor_ < 0 ? 0 : disks_.p));
  }

  void check(std::span<const disk::Run> runs) const {
    std::set<std::int64_t> used;
    for (const disk::Run& run : runs) {
      if (run.offset < 0 || run.offset + run.bytes > bytes())
        throw Error(ErrorCode::internal, "there is no such block");
      if (run.offset % block_bytes() != 0 || run.bytes != block_bytes())
        throw Error(ErrorCode::internal, "an I/O must have whole blocks");
      if (!used.insert(disk(run)).second)
        throw Error(ErrorCode::internal, "one I/O touches a disk twice");
      if (processor_ >= 0 && disk(run) >> (disks_.d - disks_.p) != processor_)
        throw Error(ErrorCode::internal, "the disk belongs to another processor");
    }
    if (runs.empty()) throw Error(ErrorCode::internal, "an I/O has no block");
  }

  Ticket start(std::span<const disk::Run> runs, bool writes) {
    for (const auto& [ticket, other] : started_)
      for (const disk::Run& there : other.first)
        for (const disk::Run& run : runs)
          if (run.offset == there.offset && (writes || other.second))
            throw Error(ErrorCode::internal, "a block is under way already");
    started_[next_] = {{runs.begin(), runs.end()}, writes};
    return next_++;
  }

  bmmc::DiskModel disks_;
  std::size_t record_bytes_;
  std::shared_ptr<Data> data_;
  int processor_ = -1;  ///< -1: disks of all processors are allowed
  std::map<Ticket, std::pair<std::vector<disk::Run>, bool>> started_;
  Ticket next_ = 0;
  Ticket failing_ = -1;
  std::int64_t reads_ = 0;
  std::int64_t writes_ = 0;
  std::int64_t independent_reads_ = 0;
  std::int64_t independent_writes_ = 0;
};

}  // namespace weft::test_support
