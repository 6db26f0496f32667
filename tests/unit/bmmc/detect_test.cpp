#include "bmmc/run/detect.hpp"

#include <gtest/gtest.h>

#include <random>
#include <vector>

#include "bmmc/plan/permutations.hpp"
#include "support/seed.hpp"
#include "unit/support/model_disks.hpp"
#include "unit/support/random_bits.hpp"

namespace weft::bmmc {
namespace {

using test_support::ModelDisks;
using test_support::random_nonsingular;

const std::vector<DiskModel> small_disks = {{.n = 12, .m = 8, .b = 3, .d = 2},
                                            {.n = 11, .m = 4, .b = 0, .d = 3},
                                            {.n = 10, .m = 7, .b = 3, .d = 0},
                                            {.n = 9, .m = 9, .b = 2, .d = 4},
                                            {.n = 2, .m = 2, .b = 1, .d = 0}};

std::int64_t candidate_reads(const DiskModel& disks) {
  const std::int64_t count = std::int64_t{1} << disks.d;
  return (disks.n - disks.b + 1 + count - 1) / count;
}

ModelDisks targets_of(const Bmmc& permutation, const DiskModel& disks) {
  ModelDisks store(disks);
  for (std::size_t x = 0; x < store.records().size(); ++x)
    store.records()[x] = permutation.target(x);
  return store;
}

TEST(Detect, finds_every_bmmc_in_the_reads_of_the_theory) {
  const std::uint64_t seed = test_support::chosen_seed(20264);
  SCOPED_TRACE(test_support::repeated_by(seed));
  std::mt19937_64 random(seed);
  for (const DiskModel& disks : small_disks) {
    std::vector<Bmmc> all = {{bit_reversal(disks.n)}, {BitMatrix::identity(disks.n)}};
    for (int trial = 0; trial < 10; ++trial)
      all.push_back({random_nonsingular(disks.n, random), random() & bit_range(0, disks.n)});
    for (const Bmmc& permutation : all) {
      ModelDisks store = targets_of(permutation, disks);
      const Detection found = detect(store, disks);
      ASSERT_TRUE(found.permutation.has_value()) << "n " << disks.n;
      ASSERT_EQ(*found.permutation, permutation) << "n " << disks.n;
      ASSERT_EQ(found.candidate_reads, candidate_reads(disks));
      ASSERT_EQ(found.parallel_reads, candidate_reads(disks) + disks.stripes());
      ASSERT_EQ(store.reads(), found.parallel_reads);
      ASSERT_EQ(store.writes(), 0);
    }
  }
}

TEST(Detect, rejects_one_swapped_pair_wherever_it_is) {
  const std::uint64_t seed = test_support::chosen_seed(20264);
  SCOPED_TRACE(test_support::repeated_by(seed));
  std::mt19937_64 random(seed);
  const DiskModel disks = small_disks[0];
  const std::int64_t all = candidate_reads(disks) + disks.stripes();
  int early = 0;
  for (int trial = 0; trial < 100; ++trial) {
    ModelDisks store = targets_of({random_nonsingular(disks.n, random)}, disks);
    const std::size_t one = random() % 4096;
    std::swap(store.records()[one], store.records()[(one + 1 + random() % 4095) % 4096]);
    const Detection found = detect(store, disks);
    ASSERT_FALSE(found.permutation.has_value()) << "trial " << trial;
    ASSERT_LE(found.parallel_reads, all);
    early += found.parallel_reads < all ? 1 : 0;
  }
  EXPECT_GT(early, 50) << "the sweep ends where the first target differs";
}

TEST(Detect, rejects_the_last_two_records_swapped_after_the_whole_sweep) {
  const DiskModel disks = small_disks[0];
  ModelDisks store = targets_of({bit_reversal(disks.n)}, disks);
  std::swap(store.records()[4095], store.records()[4094]);
  const Detection found = detect(store, disks);
  EXPECT_FALSE(found.permutation.has_value());
  EXPECT_EQ(found.parallel_reads, candidate_reads(disks) + disks.stripes());
}

TEST(Detect, rejects_other_targets_without_reading_all) {
  const DiskModel disks = small_disks[0];
  BitMatrix singular = bit_reversal(disks.n);
  singular.set(disks.n - 1 - 5, 5, false);
  ASSERT_FALSE(is_nonsingular(singular));
  ModelDisks twice = targets_of({singular}, disks);
  ModelDisks beyond = targets_of({bit_reversal(disks.n)}, disks);
  beyond.records()[0] = 1 << disks.n;
  for (ModelDisks* store : {&twice, &beyond}) {
    const Detection found = detect(*store, disks);
    EXPECT_FALSE(found.permutation.has_value());
    EXPECT_EQ(found.parallel_reads, candidate_reads(disks));
  }
}

}  // namespace
}  // namespace weft::bmmc
