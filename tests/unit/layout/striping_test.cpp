// The positions of an array's blocks on several disks.
#include "layout/striping.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "unit/support/expect_error.hpp"

namespace weft::disk {
namespace {

using test_support::expect_error;

constexpr std::int64_t block_size = 4096;

std::vector<int> disks_of(const Striping& striping, std::int64_t first, std::int64_t stride,
                          std::int64_t count) {
  std::vector<int> disks;
  for (std::int64_t k = 0; k < count; ++k)
    disks.push_back(place_of(striping, first + k * stride).disk);
  return disks;
}

TEST(DiskStriping, every_block_has_a_place_of_its_own) {
  for (const int disks : {1, 2, 3, 6, 8})
    for (const int processors : {1, 2, 3})
      for (const std::int64_t band : {0, 1, 2, 5})
        for (const std::int64_t skew : {0, 1, 3})
          for (const std::int64_t bytes : {std::int64_t{1}, 7 * block_size + 5, 100 * block_size}) {
            if (disks % processors != 0) continue;
            const Striping striping = {.bytes = bytes,
                                       .block_bytes = block_size,
                                       .disks = disks,
                                       .processors = processors,
                                       .band_bytes = band * disks * block_size,
                                       .skew_rows = skew};
            check(striping);
            std::set<std::pair<int, std::int64_t>> places;
            for (std::int64_t k = 0; k < block_count(striping); ++k) {
              const BlockPlace place = place_of(striping, k);
              ASSERT_TRUE(place.disk >= 0 && place.disk < disks);
              ASSERT_TRUE(place.row >= 0 && place.row < row_count(striping));
              ASSERT_TRUE(places.emplace(place.disk, place.row).second) << "block " << k;
            }
          }
}

TEST(DiskStriping, bands_are_those_of_the_paper) {
  Striping striping = {
      .bytes = 16 * block_size, .block_bytes = block_size, .disks = 4, .processors = 2};
  // Stripe-major: blocks go to all disks in turn. A processor has two disks.
  EXPECT_EQ(disks_of(striping, 0, 1, 8), (std::vector<int>{0, 1, 2, 3, 0, 1, 2, 3}));
  // Memoryload-major, M = 8 blocks: half of each load is on the disks of each processor.
  striping.band_bytes = 8 * block_size;
  EXPECT_EQ(disks_of(striping, 0, 1, 12), (std::vector<int>{0, 1, 0, 1, 2, 3, 2, 3, 0, 1, 0, 1}));
  EXPECT_EQ(place_of(striping, 10), (BlockPlace{0, 3}));
  // Processor-major: half of the array is on the disks of each processor.
  striping.band_bytes = whole_band_bytes(striping);
  EXPECT_EQ(striping.band_bytes, 16 * block_size);
  EXPECT_EQ(disks_of(striping, 0, 1, 8), (std::vector<int>{0, 1, 0, 1, 0, 1, 0, 1}));
  EXPECT_EQ(disks_of(striping, 8, 1, 8), (std::vector<int>{2, 3, 2, 3, 2, 3, 2, 3}));
}

TEST(DiskStriping, skew_spreads_the_columns_of_a_matrix_over_all_disks) {
  // 16 rows of 32 blocks on 4 disks: a column is every 32nd block.
  Striping striping = {.bytes = 512 * block_size, .block_bytes = block_size, .disks = 4};
  EXPECT_EQ(disks_of(striping, 5, 32, 4), (std::vector<int>{1, 1, 1, 1}));
  striping.skew_rows = 32 / 4;
  EXPECT_EQ(disks_of(striping, 5, 32, 4), (std::vector<int>{1, 2, 3, 0}));
  EXPECT_EQ(disks_of(striping, 32, 1, 4), (std::vector<int>{1, 2, 3, 0}));
}

TEST(DiskStriping, the_default_skew_spreads_columns_of_all_powers_of_two) {
  for (const std::int64_t odd : {1, 3, 15})
    for (const int disks : {2, 4, 8}) {
      const std::int64_t blocks = odd * disks * 4096;
      Striping striping = {.bytes = blocks * block_size, .block_bytes = block_size, .disks = disks};
      striping.skew_rows = default_skew_rows(striping.bytes, block_size, disks);
      for (std::int64_t columns = odd * disks; columns <= blocks / disks; columns *= 2) {
        std::vector<int> runs(static_cast<std::size_t>(disks));
        for (std::int64_t first = 0; first < blocks; first += columns)
          ++runs[static_cast<std::size_t>(place_of(striping, first).disk)];
        const auto [least, most] = std::minmax_element(runs.begin(), runs.end());
        EXPECT_LE(*most - *least, blocks / columns / disks / 8 + (disks == 2 ? 0 : 1))
            << odd << " x 2^k, " << disks << " disks, " << columns << " blocks a row";
      }
    }
  EXPECT_EQ(default_skew_rows(5 * block_size, block_size, 2), 1);
  EXPECT_EQ(default_skew_rows(8 * block_size, block_size, 1), 0);
}

TEST(DiskStriping, impossible_stripings_are_refused) {
  const Striping good = {.bytes = 100, .block_bytes = block_size, .disks = 4};
  const auto refused = [&](auto&& change, const std::vector<std::string>& words) {
    Striping striping = good;
    change(striping);
    expect_error(ErrorCode::invalid_argument, words, [&] { check(striping); });
  };
  refused([](Striping& s) { s.bytes = -1; }, {"at least 0 bytes", "-1"});
  refused([](Striping& s) { s.block_bytes = 5000; }, {"multiple of 4096", "5000", "65536"});
  refused([](Striping& s) { s.block_bytes = 0; }, {"multiple of 4096"});
  refused([](Striping& s) { s.disks = 0; }, {"1 to 1024 disks", "given 0"});
  refused([](Striping& s) { s.processors = 3; }, {"divisor", "which is 4", "given 3"});
  refused([](Striping& s) { s.band_bytes = 4096; }, {"band", "16384", "4096"});
  refused([](Striping& s) { s.skew_rows = -1; }, {"shifts", "-1"});
  refused([](Striping& s) { s.bytes = INT64_MAX; }, {"64 bits"});
}

}  // namespace
}  // namespace weft::disk
