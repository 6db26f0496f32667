#include "bmmc/plan/mld_factorisation.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <numeric>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "bmmc/plan/min_pass_factorisation.hpp"
#include "bmmc/plan/permutations.hpp"
#include "bmmc/plan/processor_traffic.hpp"
#include "bmmc/run/permute.hpp"
#include "bmmc/run/run_superlevels.hpp"
#include "support/seed.hpp"
#include "unit/support/expect_error.hpp"
#include "unit/support/model_disks.hpp"
#include "unit/support/random_bits.hpp"

namespace weft::bmmc {
namespace {

using test_support::expect_error;
using test_support::ModelDisks;
using test_support::random_nonsingular;

/// The models have several disks or one, blocks of one record or more, memory for two blocks of
/// each disk up to all records, and a rank that lg(M/B) does not divide.
const std::vector<DiskModel> models = {
    {.n = 12, .m = 8, .b = 3, .d = 2, .p = 1}, {.n = 11, .m = 6, .b = 2, .d = 3, .p = 3},
    {.n = 10, .m = 7, .b = 3, .d = 0},         {.n = 9, .m = 9, .b = 2, .d = 2, .p = 2},
    {.n = 13, .m = 4, .b = 0, .d = 1},         {.n = 12, .m = 5, .b = 4, .d = 0},
    {.n = 12, .m = 9, .b = 2, .d = 2, .p = 1}, {.n = 11, .m = 8, .b = 5, .d = 2},
    {.n = 5, .m = 1, .b = 0, .d = 0},
};

std::string name_of(const DiskModel& k) {
  return "n m b d p " + std::to_string(k.n) + " " + std::to_string(k.m) + " " +
         std::to_string(k.b) + " " + std::to_string(k.d) + " " + std::to_string(k.p);
}

struct Named {
  std::string name;
  Bmmc permutation;
};

/// Returns some named permutations, and random ones of a seed.
std::vector<Named> permutations_of(int n, std::uint64_t seed) {
  std::vector<Named> all = {{"identity", {BitMatrix::identity(n)}},
                            {"bit reversal", {bit_reversal(n)}},
                            {"transpose", {axes_permutation({n / 3, n - n / 3}, {1, 0})}},
                            {"Gray code", {gray_code(n)}},
                            {"inverse Gray code", {inverse(gray_code(n))}},
                            {"vector reversal", {BitMatrix::identity(n), bit_range(0, n)}}};
  for (int k = 1; k < n; ++k)
    all.push_back({"rotation by " + std::to_string(k), {right_rotation(n, k)}});
  std::mt19937_64 random(seed);
  for (int k = 0; k < 8; ++k)
    all.push_back({"random " + std::to_string(k),
                   {random_nonsingular(n, random), random() & bit_range(0, n)}});
  return all;
}

int ceil_div(int a, int b) { return (a + b - 1) / b; }

/// Runs the passes on disks that count I/Os, and compares each record with its target. Returns the
/// numbers of parallel reads and writes.
std::pair<std::int64_t, std::int64_t> run_and_compare(const std::vector<PermutationPass>& passes,
                                                      const Bmmc& permutation,
                                                      const DiskModel& disks) {
  ModelDisks source(disks), one(disks), other(disks);
  for (std::size_t x = 0; x < source.records().size(); ++x) source.records()[x] = 1000003 * x + 17;
  const SuperlevelCounts counts =
      run_permutation(passes, disks, sizeof(std::uint64_t), {&source, &one, &other});
  const auto& result = one.records();
  for (std::size_t x = 0; x < result.size(); ++x) {
    EXPECT_EQ(result[permutation.target(x)], 1000003 * x + 17) << "record " << x;
    if (result[permutation.target(x)] != 1000003 * x + 17) break;
  }
  const std::int64_t reads = source.reads() + one.reads() + other.reads();
  const std::int64_t writes = one.writes() + other.writes();
  EXPECT_EQ(counts.parallel_ios, reads + writes);
  EXPECT_EQ(source.writes(), 0);
  return {reads, writes};
}

TEST(Factors, every_pass_takes_exactly_2n_over_bd) {
  const std::uint64_t seed = test_support::chosen_seed(20262);
  SCOPED_TRACE(test_support::repeated_by(seed));
  int run = 0;
  for (const SwapOrder order : {SwapOrder::lowest_first, SwapOrder::highest_first})
    for (const DiskModel& disks : models)
      for (const auto& [name, permutation] : permutations_of(disks.n, seed)) {
        SCOPED_TRACE(name_of(disks) + ": " + name);
        const std::vector<PermutationPass> passes = dispersal_factors(permutation, disks, order);
        const int rank = rank_phi(permutation.matrix, disks);
        ASSERT_EQ(passes.size(), std::size_t(ceil_div(rank, disks.m - disks.b) + 1));
        for (std::size_t k = 0; k + 1 < passes.size(); ++k)
          ASSERT_TRUE(is_mld(passes[k].permutation.matrix, disks));
        ASSERT_TRUE(is_mrc(passes.back().permutation.matrix, disks));
        ASSERT_EQ(composed(passes, disks.n), permutation);
        const auto [reads, writes] = run_and_compare(passes, permutation, disks);
        const auto each = static_cast<std::int64_t>(passes.size()) * disks.stripes();
        ASSERT_EQ(reads, each);
        ASSERT_EQ(writes, each);
        ASSERT_EQ(parallel_ios(passes, disks), 2 * each);
        ++run;
      }
  ASSERT_GT(run, 300);
}

TEST(Factors, only_permutations_of_a_one_pass_class_take_one_pass) {
  const std::uint64_t seed = test_support::chosen_seed(20262);
  SCOPED_TRACE(test_support::repeated_by(seed));
  std::vector<int> of_kind(4);
  for (const DiskModel& disks : models)
    for (const auto& [name, permutation] : permutations_of(disks.n, seed)) {
      SCOPED_TRACE(name_of(disks) + ": " + name);
      const BitMatrix& a = permutation.matrix;
      const std::vector<PermutationPass> passes = factored(permutation, disks);
      const bool one = is_mrc(a, disks) || is_mld(a, disks) || is_mld_inverse(a, disks);
      ASSERT_EQ(passes.size() == 1, one);
      ASSERT_LE(passes.size(),
                dispersal_factors(permutation, disks, SwapOrder::lowest_first).size());
      for (const PermutationPass& pass : passes) ++of_kind[static_cast<std::size_t>(pass.kind)];
      const auto [reads, writes] = run_and_compare(passes, permutation, disks);
      ASSERT_EQ(reads + writes, static_cast<std::int64_t>(passes.size()) * disks.ios_of_a_pass());
    }
  for (const PassKind kind : {PassKind::mrc, PassKind::mld, PassKind::mld_inverse})
    EXPECT_GT(of_kind[static_cast<std::size_t>(kind)], 0) << word_of(kind);
}

TEST(Factors, striped_sides_are_striped) {
  const DiskModel disks{.n = 12, .m = 8, .b = 3, .d = 2, .p = 1};
  const std::vector<PermutationPass> passes =
      dispersal_factors({bit_reversal(disks.n)}, disks, SwapOrder::lowest_first);
  ASSERT_EQ(passes.size(), 2u);
  SuperlevelCounts counts;
  const RecordRun run{.record_bytes = sizeof(std::uint64_t), .counts = &counts};
  ModelDisks one(disks), other(disks);
  execute_pass(passes[0], disks, one, other, run);
  EXPECT_EQ(one.independent_reads(), 0);
  EXPECT_GT(other.independent_writes(), 0);
  execute_pass(passes[1], disks, other, one, run);
  EXPECT_EQ(other.independent_reads(), 0);
  EXPECT_EQ(one.independent_writes(), 0);
}

/// Checks the condition for MLD passes record by record.
TEST(Factors, memoryloads_of_an_mld_pass_make_whole_blocks_on_all_disks_alike) {
  const std::uint64_t seed = test_support::chosen_seed(20262);
  SCOPED_TRACE(test_support::repeated_by(seed));
  int loads = 0;
  for (const DiskModel& disks : models)
    for (const auto& [name, permutation] : permutations_of(disks.n, seed))
      for (const PermutationPass& pass :
           dispersal_factors(permutation, disks, SwapOrder::highest_first)) {
        if (pass.kind != PassKind::mld) continue;
        for (Bits load = 0; load < Bits{1} << (disks.n - disks.m); ++load) {
          std::map<Bits, std::int64_t> records_of_block;
          std::map<Bits, std::int64_t> blocks_of_disk;
          for (Bits x = load << disks.m; x < (load + 1) << disks.m; ++x)
            ++records_of_block[pass.permutation.target(x) >> disks.b];
          ASSERT_EQ(records_of_block.size(), std::size_t{1} << (disks.m - disks.b)) << name;
          for (const auto& [block, records] : records_of_block) {
            ASSERT_EQ(records, std::int64_t{1} << disks.b);
            ++blocks_of_disk[block & bit_range(0, disks.d)];
          }
          ASSERT_EQ(blocks_of_disk.size(), std::size_t{1} << disks.d);
          for (const auto& [disk, blocks] : blocks_of_disk)
            ASSERT_EQ(blocks, std::int64_t{1} << (disks.m - disks.b - disks.d)) << disk;
          ++loads;
        }
      }
  ASSERT_GT(loads, 1000);
}

TEST(Factors, the_inverse_is_taken_if_fewer_records_cross) {
  const DiskModel disks{.n = 12, .m = 8, .b = 3, .d = 2, .p = 1};
  const std::uint64_t seed = test_support::chosen_seed(20262);
  SCOPED_TRACE(test_support::repeated_by(seed));
  std::mt19937_64 random(seed);
  int backward = 0;
  for (int trial = 0; trial < 60; ++trial) {
    const Bmmc permutation{random_nonsingular(disks.n, random)};
    const std::vector<PermutationPass> passes = factored(permutation, disks);
    ASSERT_EQ(rank_phi(permutation.matrix, disks), rank_phi(inverse(permutation.matrix), disks));
    for (const SwapOrder order : {SwapOrder::lowest_first, SwapOrder::highest_first})
      ASSERT_LE(processor_traffic(passes, disks),
                processor_traffic(dispersal_factors(permutation, disks, order), disks));
    ASSERT_GE(processor_traffic(passes, disks), least_crossing(permutation, disks));
    backward += passes.back().kind == PassKind::mld_inverse ? 1 : 0;
  }
  EXPECT_GT(backward, 0);
  EXPECT_LT(backward, 60);
}

TEST(GroupedFactors, take_as_many_passes_as_the_lower_bound_of_the_class) {
  const std::uint64_t seed = test_support::chosen_seed(20262);
  SCOPED_TRACE(test_support::repeated_by(seed));
  int fewer = 0;
  for (const DiskModel& disks : models)
    for (const auto& [name, permutation] : permutations_of(disks.n, seed)) {
      SCOPED_TRACE(name_of(disks) + ": " + name);
      const std::vector<PermutationPass> passes = grouped_factors(permutation, disks);
      const int apart = rank_gamma(permutation.matrix, disks);
      ASSERT_EQ(passes.size(), std::size_t(std::max(1, ceil_div(apart, disks.m - disks.b))));
      ASSERT_EQ(composed(passes, disks.n), permutation);
      const auto [reads, writes] = run_and_compare(passes, permutation, disks);
      ASSERT_EQ(reads + writes, parallel_ios(passes, disks));
      for (const PermutationPass& pass : passes) {
        const std::int64_t ios = parallel_ios(pass, disks);
        ASSERT_GE(ios, disks.ios_of_a_pass());
        // If memory is large enough, all disks are used equally.
        if (rank_gamma(pass.permutation.matrix, disks) + disks.d <= disks.m - disks.b) {
          ASSERT_EQ(ios, disks.ios_of_a_pass());
        }
      }
      fewer += passes.size() < factored(permutation, disks).size() ? 1 : 0;
    }
  ASSERT_GT(fewer, 20);
}

TEST(GroupedFactors, with_more_passes_still_compose) {
  const DiskModel disks{.n = 12, .m = 7, .b = 4, .d = 1};
  const Bmmc permutation{bit_reversal(disks.n), 5};
  ASSERT_EQ(fewest_passes(permutation, disks), 2);
  for (int passes = 2; passes < 8; ++passes) {
    const std::vector<PermutationPass> found = grouped_factors(permutation, disks, passes);
    ASSERT_EQ(found.size(), std::size_t(passes));
    const auto [reads, writes] = run_and_compare(found, permutation, disks);
    ASSERT_EQ(reads + writes, parallel_ios(found, disks)) << passes;
  }
  expect_error(ErrorCode::invalid_argument, {"= 2 passes", "given 1"},
               [&] { grouped_factors(permutation, disks, 1); });
}

/// The permutation takes two passes of four dimensions each. Memory has no further dimension for
/// disks. None is needed, because arriving and leaving data use all disks.
TEST(GroupedFactors, layouts_between_passes_use_all_disks) {
  const DiskModel disks{.n = 20, .m = 12, .b = 8, .d = 2};
  const Bmmc permutation{bit_reversal(disks.n)};
  const std::vector<PermutationPass> passes = grouped_factors(permutation, disks);
  ASSERT_EQ(passes.size(), 2u);
  for (const PermutationPass& pass : passes) {
    EXPECT_EQ(rank_gamma(pass.permutation.matrix, disks), disks.m - disks.b);
    EXPECT_EQ(pass.group.dimension(), disks.m);
  }
  EXPECT_EQ(target_side(passes[0], disks).lg_at_once, disks.d);
  EXPECT_EQ(source_side(passes[1], disks).lg_at_once, disks.d);
}

/// Both ends of the path are given, but the order of its vectors is free.
TEST(GroupedFactors, first_and_last_pass_use_all_disks_within_reach) {
  const DiskModel disks{.n = 20, .m = 12, .b = 8, .d = 2};
  const std::uint64_t seed = test_support::chosen_seed(20262);
  SCOPED_TRACE(test_support::repeated_by(seed));
  std::mt19937_64 random(seed);
  const BitMatrix identity = BitMatrix::identity(disks.n);
  const Subspace offsets = Subspace::of_bits(0, disks.b);
  int of_two = 0;
  for (int trial = 0; trial < 200; ++trial) {
    std::vector<int> bits(static_cast<std::size_t>(disks.n));
    std::iota(bits.begin(), bits.end(), 0);
    std::shuffle(bits.begin(), bits.end(), random);
    BitMatrix a = bit_permutation(bits);
    for (int k = 0; k < 10; ++k) {
      const int from = static_cast<int>(random() % 20);
      a.add_row(from, (from + 1 + static_cast<int>(random() % 19)) % 20);
    }
    const std::vector<PermutationPass> passes = grouped_factors({a}, disks);
    if (passes.size() < 2) continue;
    const Subspace arriving = offsets.image(inverse(a));
    ASSERT_GE(source_side(passes.front(), disks).lg_at_once,
              std::min(2, rank_on(arriving, identity, disks.b, disks.b + disks.d)))
        << "trial " << trial;
    ASSERT_GE(target_side(passes.back(), disks).lg_at_once,
              std::min(2, rank_on(offsets, a, disks.b, disks.b + disks.d)))
        << "trial " << trial;
    ++of_two;
  }
  ASSERT_GT(of_two, 50);
}

TEST(BestFactors, never_take_more_ios_than_striped_or_grouped_factors) {
  const std::uint64_t seed = test_support::chosen_seed(20262);
  SCOPED_TRACE(test_support::repeated_by(seed));
  int grouped = 0, striped = 0;
  for (const DiskModel& disks : models)
    for (const auto& [name, permutation] : permutations_of(disks.n, seed)) {
      SCOPED_TRACE(name_of(disks) + ": " + name);
      const std::vector<PermutationPass> best = best_factors(permutation, disks);
      const std::int64_t ios = parallel_ios(best, disks);
      ASSERT_LE(ios, parallel_ios(factored(permutation, disks), disks));
      ASSERT_LE(ios, parallel_ios(grouped_factors(permutation, disks), disks));
      const auto [reads, writes] = run_and_compare(best, permutation, disks);
      ASSERT_EQ(reads + writes, ios);
      (best.front().kind == PassKind::grouped ? grouped : striped) += 1;
    }
  EXPECT_GT(grouped, 20);
  EXPECT_GT(striped, 20);
}

/// B^2 D <= M is enough for any bit permutation in one pass of 2N/BD.
TEST(GroupedFactors, bit_permutations_take_one_pass_if_b_squared_d_fits_in_memory) {
  const DiskModel disks{.n = 12, .m = 8, .b = 3, .d = 2};
  for (int k = 0; k < disks.n; ++k) {
    const auto rotated = grouped_factors({right_rotation(disks.n, k)}, disks);
    ASSERT_EQ(rotated.size(), 1u);
    ASSERT_EQ(parallel_ios(rotated, disks), disks.ios_of_a_pass()) << "rotation by " << k;
  }
  const auto reversed = grouped_factors({bit_reversal(disks.n)}, disks);
  ASSERT_EQ(parallel_ios(reversed, disks), disks.ios_of_a_pass());
  // With half the memory, disks are not used equally any more, and the count shows this.
  const DiskModel less{.n = 12, .m = 6, .b = 3, .d = 2};
  EXPECT_GT(parallel_ios(grouped_factors({bit_reversal(12)}, less), less), less.ios_of_a_pass());
}

TEST(RunPermutation, refuses_volumes_that_do_not_fit) {
  const DiskModel disks{.n = 8, .m = 6, .b = 2, .d = 1};
  const DiskModel smaller{.n = 7, .m = 6, .b = 2, .d = 1};
  ModelDisks one(disks), other(disks), small(smaller);
  const std::vector<PermutationPass> passes = factored({bit_reversal(8)}, disks);
  ASSERT_EQ(passes.size(), 2u);
  const auto run = [&](const RecordVolumes& volumes) {
    return [&, volumes] { run_permutation(passes, disks, 8, volumes); };
  };
  expect_error(ErrorCode::invalid_argument, {"scratch", "2048", "given 0"}, run({&one, &other}));
  expect_error(ErrorCode::invalid_argument, {"output", "1024"}, run({&one, &small, &other}));
  expect_error(ErrorCode::invalid_argument, {"different", "twice"}, run({&one, &other, &one}));
  EXPECT_EQ(one.reads(), 0);
}

TEST(RunPermutation, nothing_is_under_way_after_an_error) {
  const DiskModel disks{.n = 10, .m = 6, .b = 2, .d = 1};
  const std::vector<PermutationPass> passes = factored({bit_reversal(10)}, disks);
  for (int failing = 0; failing < 3; ++failing)
    for (const std::int64_t ticket : {0, 1, 17, 63, 127}) {
      ModelDisks one(disks), other(disks), third(disks);
      (failing == 0 ? one : failing == 1 ? other : third).fail_ticket(ticket);
      expect_error(ErrorCode::io_failure, {"fails on purpose"}, [&] {
        run_permutation(passes, disks, 8, {&one, &other, &third});
      });
      EXPECT_EQ(one.under_way() + other.under_way() + third.under_way(), 0);
    }
}

TEST(ModelDisks, refuse_two_blocks_of_a_disk_in_one_io) {
  const DiskModel disks{.n = 8, .m = 6, .b = 2, .d = 1};
  ModelDisks store(disks);
  std::vector<std::byte> memory(64);
  const auto block = [&](std::int64_t number) { return disk::Run{number * 32, 32, memory.data()}; };
  const std::vector<disk::Run> twice = {block(1), block(3)}, beyond = {block(0), block(65)};
  expect_error(ErrorCode::internal, {"twice"}, [&] { store.start_read(twice); });
  expect_error(ErrorCode::internal, {"no such"}, [&] { store.start_write(beyond); });
  EXPECT_EQ(store.reads() + store.writes(), 0);
}

}  // namespace
}  // namespace weft::bmmc
