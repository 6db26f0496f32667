#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <random>
#include <span>
#include <string>
#include <vector>

#include <weft/error.hpp>

#include "disk/volume.hpp"

namespace weft::test_support {

/// When the transfers of a MemoryVolume happen. A disk does it at any time between start and wait.
enum class Landing {
  in_wait,   ///< as late as can be: what was not waited for has not happened
  at_random  ///< whenever anything is started or waited for, some of what is under way, in any order
};

/// A volume in memory, for tests of those who use volumes: it counts, it fails when it is told to,
/// and it refuses what the contract of disk::Volume forbids.
class MemoryVolume final : public disk::Volume {
 public:
  explicit MemoryVolume(std::int64_t bytes, Landing landing = Landing::in_wait,
                        std::uint64_t seed = 0)
      : content(static_cast<std::size_t>(bytes)), landing_(landing), random_(seed) {}

  std::vector<std::byte> content;
  std::int64_t bytes_read = 0;
  std::int64_t bytes_written = 0;
  std::int64_t reads = 0;   ///< tickets
  std::int64_t writes = 0;  ///< tickets
  std::int64_t flushes = 0;
  std::int64_t most_under_way = 0;
  /// wait() fails for the ticket that was given as this one of all (from 0); none of it happens.
  std::int64_t failing_ticket = -1;

  std::int64_t bytes() const override { return static_cast<std::int64_t>(content.size()); }
  std::int64_t under_way() const { return static_cast<std::int64_t>(started_.size()); }

  Ticket start_read(std::span<const disk::Run> runs) override {
    ++reads;
    return start(runs, false);
  }
  Ticket start_write(std::span<const disk::Run> runs) override {
    ++writes;
    return start(runs, true);
  }

  void wait(Ticket ticket) override {
    land_some();
    const auto found = started_.find(ticket);
    if (found == started_.end())
      refuse("ticket " + std::to_string(ticket) + " was not given or was waited for already");
    Started started = std::move(found->second);
    started_.erase(found);
    if (ticket == failing_ticket)
      throw Error(ErrorCode::io_failure, "a volume in memory: ticket " + std::to_string(ticket) +
                                             " was told to fail; do not tell it");
    while (!started.runs.empty()) land_one(started);
  }

  bool has_ended(Ticket ticket) override {
    land_some();
    const auto found = started_.find(ticket);
    if (found == started_.end()) refuse("ticket " + std::to_string(ticket) + " is not under way");
    return found->second.runs.empty();
  }

  void flush() override {
    ++flushes;
    if (std::any_of(started_.begin(), started_.end(),
                    [](const auto& entry) { return entry.second.write; }))
      refuse("flush while a write is under way, which it says nothing of");
  }

 private:
  struct Started {
    std::vector<disk::Run> runs;   ///< that have not happened yet
    std::vector<disk::Run> given;  ///< all of them
    bool write = false;
  };

  Ticket start(std::span<const disk::Run> runs, bool write) {
    Started fresh = {{runs.begin(), runs.end()}, {runs.begin(), runs.end()}, write};
    for (const disk::Run& run : runs) require_within(run);
    for (const auto& [ticket, other] : started_)
      if (write || other.write) require_apart(fresh, other, ticket);
    for (const disk::Run& run : runs) (write ? bytes_written : bytes_read) += run.bytes;
    started_.emplace(next_, std::move(fresh));
    most_under_way = std::max(most_under_way, under_way());
    land_some();
    return next_++;
  }

  void require_within(const disk::Run& run) const {
    if (run.offset < 0 || run.bytes < 0 || run.bytes > bytes() || run.offset > bytes() - run.bytes)
      throw Error(ErrorCode::invalid_argument,
                  "a run must lie within the " + std::to_string(bytes()) +
                      " bytes of its volume; given " + std::to_string(run.bytes) + " from " +
                      std::to_string(run.offset) + "; correct the run");
  }

  static void require_apart(const Started& fresh, const Started& other, Ticket ticket) {
    for (const disk::Run& a : fresh.given)
      for (const disk::Run& b : other.given)
        if (a.bytes > 0 && b.bytes > 0 && a.offset < b.offset + b.bytes &&
            b.offset < a.offset + a.bytes)
          refuse("bytes from " + std::to_string(a.offset) + " are still under way in ticket " +
                 std::to_string(ticket));
  }

  void land_some() {
    if (landing_ != Landing::at_random) return;
    for (auto& [ticket, started] : started_)
      while (ticket != failing_ticket && !started.runs.empty() && random_() % 2 == 0)
        land_one(started);
  }

  void land_one(Started& started) {
    const std::size_t k = random_() % started.runs.size();
    const disk::Run run = started.runs[k];
    started.runs.erase(started.runs.begin() + static_cast<std::ptrdiff_t>(k));
    std::byte* const place = content.data() + run.offset;
    if (started.write)
      std::copy_n(run.memory, run.bytes, place);
    else
      std::copy_n(place, run.bytes, run.memory);
  }

  [[noreturn]] static void refuse(const std::string& what) {
    throw Error(ErrorCode::internal, "a volume in memory: " + what);
  }

  Landing landing_;
  std::mt19937_64 random_;
  std::map<Ticket, Started> started_;
  Ticket next_ = 0;
};

}  // namespace weft::test_support
