#pragma once

// Disks in memory for transforms on ranks, and layouts of arrays on them.
#include <gtest/gtest.h>
#include <mpi.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <memory>
#include <utility>
#include <vector>

#include "comm/from_mpi.hpp"
#include "mpi/support/world.hpp"
#include "ooc/ranks/run_on_ranks.hpp"
#include "support/fake_volume.hpp"
#include "support/ooc_reference.hpp"

namespace weft::ooc {

inline constexpr std::byte untouched{0xff};

template <class Real>
std::vector<std::byte> bytes_of(const test_support::Exact& array, bool real) {
  std::vector<Real> values;
  for (const auto& x : array) {
    values.push_back(static_cast<Real>(x.real()));
    if (!real) values.push_back(static_cast<Real>(x.imag()));
  }
  std::vector<std::byte> bytes(values.size() * sizeof(Real));
  std::memcpy(bytes.data(), values.data(), bytes.size());
  return bytes;
}

/// Calls visit(first byte, bytes) for each contiguous part of an array that a rank owns.
template <class Visit>
void for_each_held(const FileOwnership& ownership, std::int64_t bytes, int rank, Visit&& visit) {
  for (std::int64_t at = 0; at < bytes;) {
    const OwnedPart part = ownership.part_at(at, bytes - at);
    if (part.rank == rank) visit(at, part.bytes);
    at += part.bytes;
  }
}

/// The volumes of one rank. Bytes of other ranks are invalid there, and must not change.
class Disks {
 public:
  Disks(const KPassPlan& plan, OwnershipPtr input, OwnershipPtr output, int rank)
      : plan_(plan),
        rank_(rank),
        input_ownership_(std::move(input)),
        output_ownership_(std::move(output)),
        input_(plan.input_bytes()),
        output_(plan.output_bytes()) {
    fill(input_);
    fill(output_);
    for (int k = 0; k < scratch_volumes; ++k)
      if (const std::int64_t bytes = scratch_bytes(plan, rank, k))
        scratch_.at(static_cast<std::size_t>(k)) =
            std::make_unique<test_support::FakeVolume>(bytes);
    safe_.push_back({&output_, {}});
    for (const auto& each : scratch_)
      if (each) safe_.push_back({each.get(), {}});
    flush();
  }

  VolumesOnRanks volumes() {
    return {{&input_, input_ownership_},
            {&output_, output_ownership_},
            {scratch_[0].get(), scratch_[1].get(), scratch_[2].get()}};
  }

  void put(const std::vector<std::byte>& array) {
    for_each_held(*input_ownership_, std::ssize(array), rank_, [&](auto at, auto bytes) {
      std::copy_n(array.data() + at, bytes, input_.as<std::byte>() + at);
    });
    given_.assign(input_.as<std::byte>(), input_.as<std::byte>() + input_.bytes());
  }

  void expect_only_own_bytes_touched() {
    EXPECT_TRUE(std::equal(given_.begin(), given_.end(), input_.as<std::byte>()));
    EXPECT_EQ(input_.writes().runs, 0);
    std::int64_t held = 0;
    for_each_held(*input_ownership_, plan_.input_bytes(), rank_,
                  [&](auto, auto bytes) { held += bytes; });
    EXPECT_EQ(input_.reads().bytes, held);
    held = 0;
    for_each_held(*output_ownership_, plan_.output_bytes(), rank_,
                  [&](auto, auto bytes) { held += bytes; });
    EXPECT_EQ(output_.writes().bytes, held);
    for (int other = 0; other < plan_.ranks; ++other)
      if (other != rank_)
        for_each_held(*output_ownership_, plan_.output_bytes(), other, [&](auto at, auto bytes) {
          const std::byte* first = output_.as<std::byte>() + at;
          EXPECT_EQ(std::count(first, first + bytes, untouched), bytes);
        });
    EXPECT_EQ(under_way(), 0u);
  }

  /// Returns the whole output, gathered from all ranks.
  std::vector<std::byte> gathered() {
    std::vector<std::byte> mine(static_cast<std::size_t>(plan_.output_bytes()));
    for_each_held(*output_ownership_, plan_.output_bytes(), rank_, [&](auto at, auto bytes) {
      std::copy_n(output_.as<std::byte>() + at, bytes, mine.data() + at);
    });
    MPI_Allreduce(MPI_IN_PLACE, mine.data(), static_cast<int>(mine.size()), MPI_BYTE, MPI_BOR,
                  MPI_COMM_WORLD);
    return mine;
  }

  /// Simulates that all earlier writes reach the disk.
  void flush() {
    for (auto& [volume, content] : safe_) content.assign(begin_of(*volume), end_of(*volume));
  }

  /// Simulates a power failure: bytes that changed since the last flush() become invalid.
  void fail() {
    for (auto& [volume, content] : safe_)
      for (std::int64_t at = 0; at < volume->bytes(); ++at)
        if (begin_of(*volume)[at] != content[static_cast<std::size_t>(at)])
          begin_of(*volume)[at] = std::byte{0x5a};
  }

  std::size_t under_way() const {
    std::size_t count = input_.under_way() + output_.under_way();
    for (const auto& each : scratch_) count += each ? each->under_way() : 0;
    return count;
  }

  test_support::FakeVolume& input() { return input_; }
  test_support::FakeVolume& output() { return output_; }

 private:
  static std::byte* begin_of(test_support::FakeVolume& volume) { return volume.as<std::byte>(); }
  static std::byte* end_of(test_support::FakeVolume& volume) {
    return begin_of(volume) + volume.bytes();
  }
  static void fill(test_support::FakeVolume& volume) {
    std::fill_n(volume.as<std::byte>(), volume.bytes(), untouched);
  }

  const KPassPlan& plan_;
  int rank_;
  OwnershipPtr input_ownership_;
  OwnershipPtr output_ownership_;
  test_support::FakeVolume input_;
  test_support::FakeVolume output_;
  std::array<std::unique_ptr<test_support::FakeVolume>, scratch_volumes> scratch_;
  std::vector<std::byte> given_;
  std::vector<std::pair<test_support::FakeVolume*, std::vector<std::byte>>> safe_;
};

inline KPassProblem sized(KPassProblem problem, int lg_memory, int lg_block) {
  problem.memory_bytes = complex_bytes(problem.precision) << lg_memory;
  problem.block_bytes = complex_bytes(problem.precision) << lg_block;
  return problem;
}

/// Returns one of several ways in which ranks own arrays: fewer or more disks than ranks, bands
/// with skew, plain files.
inline OwnershipPtr ownership(int which, std::int64_t bytes, int ranks) {
  constexpr std::int64_t block = 4096;
  const int disks =
      std::array{1, 2, 3 * ranks, ranks + 1, 2 * ranks}.at(static_cast<std::size_t>(which % 5));
  switch (which % 8) {
    case 5:
      return owned_by_parts(0, bytes, ranks);
    case 6:
      return owned_by_parts(128, bytes, ranks);
    case 7:
      return owned_by_disks({.bytes = bytes,
                             .block_bytes = block,
                             .disks = 2 * ranks,
                             .processors = ranks,
                             .band_bytes = 4 * ranks * block,
                             .skew_rows = 2},
                            ranks);
    default:
      return owned_by_disks({.bytes = bytes, .block_bytes = block, .disks = disks}, ranks);
  }
}

/// Returns whether tests skip this number of ranks: it tests nothing new, and takes long on a small
/// machine.
inline bool rank_count_is_left_out() {
  return test_support::all_ranks().size() > 5 || test_support::all_ranks().size() % 2 == 0;
}

}  // namespace weft::ooc
