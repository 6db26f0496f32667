// The choice between the ways of out-of-core transforms, by a model of disks.
#include "ooc_choice/alternatives.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "ooc/plan/cost.hpp"
#include "ooc/plan/k_pass_planner.hpp"
#include "unit/support/expect_error.hpp"

namespace weft::ooc {
namespace {

using test_support::expect_error;

constexpr std::int64_t one_mib = 1 << 20;

/// Returns a disk of 1 GB/s with this time for each access.
model::DiskAssignment disk_of(double access_s) {
  Disk disk = model::assumed_disk();
  disk.read_access_s = disk.write_access_s = access_s;
  disk.read_bytes_per_s = disk.write_bytes_per_s = 1e9;
  return {.disks = {disk}};
}

KPassProblem line(std::int64_t points, std::int64_t memory_bytes) {
  return {.shape = {points}, .axes = {0}, .memory_bytes = memory_bytes};
}

ooc_choice::DiskAlternatives found(const KPassProblem& problem,
                                   const model::DiskAssignment& storage) {
  return ooc_choice::find_disk_alternatives(problem, true, shipped_machine("vm-2-cores"), storage);
}

TEST(Ways, blocks_are_short_only_if_accesses_cost_nothing) {
  const KPassProblem problem = line(std::int64_t{1} << 30, 64 * one_mib);
  const ooc_choice::DiskAlternative quick = found(problem, disk_of(0)).best;
  const ooc_choice::DiskAlternative slow = found(problem, disk_of(10e-3)).best;
  EXPECT_EQ(quick.passes, 3);
  EXPECT_GT(slow.passes, quick.passes);
  EXPECT_GT(slow.block_bytes, quick.block_bytes);
  EXPECT_EQ(slow.plan->problem.block_bytes, slow.block_bytes);
}

TEST(Ways, the_best_block_is_the_one_with_the_least_price) {
  const Machine machine = shipped_machine("vm-2-cores");
  for (const double access_s : {0.0, 1e-5, 1e-4, 1e-3, 1e-2}) {
    const model::DiskAssignment storage = disk_of(access_s);
    KPassProblem problem = line(std::int64_t{1} << 28, 64 * one_mib);
    const ooc_choice::DiskAlternative best = found(problem, storage).best;
    EXPECT_EQ(best.seconds, cost_of(*best.plan, machine, storage).seconds());
    for (std::int64_t block = 4096; block <= 4 * one_mib; block *= 2) {
      problem.block_bytes = block;
      try {
        const double seconds = cost_of(plan_passes(problem), machine, storage).seconds();
        EXPECT_LE(best.seconds, seconds * 1.0101) << access_s << " " << block;
      } catch (const Error&) {
      }
    }
  }
}

TEST(Ways, of_equally_fast_blocks_the_one_nearest_to_a_mebibyte_is_taken) {
  EXPECT_EQ(found({.shape = {1024, 1 << 20}, .axes = {0, 1}, .memory_bytes = 8192 * one_mib},
                  disk_of(1e-5))
                .best.block_bytes,
            one_mib);
}

TEST(Ways, a_given_block_is_the_only_one) {
  KPassProblem problem = line(1 << 24, 64 * one_mib);
  problem.block_bytes = 48 * 1024;
  const ooc_choice::DiskAlternatives ways = ooc_choice::find_disk_alternatives(
      problem, false, shipped_machine("vm-2-cores"), disk_of(1e-5));
  EXPECT_EQ(ways.best.block_bytes, 48 * 1024);
  for (const ooc_choice::DiskAlternative& other : ways.others)
    EXPECT_EQ(other.block_bytes, 48 * 1024);
}

TEST(Ways, others_are_of_other_kinds_the_fastest_first_and_say_why_they_lost) {
  const ooc_choice::DiskAlternatives ways =
      found(line(std::int64_t{1} << 40, 8192 * one_mib), disk_of(1e-5));
  ASSERT_GE(ways.others.size(), 2u);
  EXPECT_LE(ways.others.size(), 5u);
  EXPECT_GT(ways.considered, std::ssize(ways.others));
  EXPECT_TRUE(ways.best.ineligible_because.empty());
  for (std::size_t i = 0; i < ways.others.size(); ++i) {
    const ooc_choice::DiskAlternative& other = ways.others[i];
    EXPECT_FALSE(other.loses_by.empty());
    EXPECT_GE(other.seconds, ways.others[i == 0 ? 0 : i - 1].seconds);
    if (other.ineligible_because.empty()) {
      EXPECT_EQ(other.method, "k-pass");
      EXPECT_GE(other.seconds * 1.0101, ways.best.seconds);
    }
  }
  const auto names = [&](const std::string& method, OutputOrder order) {
    return std::count_if(ways.others.begin(), ways.others.end(),
                         [&](const ooc_choice::DiskAlternative& way) {
                           return way.method.starts_with(method) && way.order == order &&
                                  !way.ineligible_because.empty();
                         });
  };
  EXPECT_EQ(names("k-pass", OutputOrder::transposed), 1);
  EXPECT_GE(names("bmmc:", OutputOrder::natural), 1);
  EXPECT_EQ(names("bmmc:memoryload", OutputOrder::natural), 0);  // on one process all four variants
                                                                 // are alike
}

TEST(Ways, a_requested_transposed_order_is_that_of_all_plans) {
  KPassProblem problem = line(1 << 24, 16 * one_mib);
  problem.order = OutputOrder::transposed;
  const ooc_choice::DiskAlternatives ways = found(problem, disk_of(1e-5));
  EXPECT_EQ(ways.best.order, OutputOrder::transposed);
  EXPECT_EQ(ways.best.passes, 2);
  for (const ooc_choice::DiskAlternative& other : ways.others)
    EXPECT_EQ(other.order, OutputOrder::transposed);
}

TEST(Ways, axes_share_passes_or_have_their_own) {
  KPassProblem problem{
      .shape = {64, 64, 64}, .axes = {0, 1, 2}, .memory_bytes = one_mib, .block_bytes = 1024};
  EXPECT_EQ(plan_passes(problem).passes.size(), 2u);
  problem.groups = {1, 1, 1};
  EXPECT_EQ(plan_passes(problem).passes.size(), 3u);
  problem.groups = {1};
  problem.block_bytes = 16;
  const KPassPlan plan = plan_passes(problem);
  ASSERT_EQ(plan.passes.size(), 2u);  // 64 x 64 blocks of 16 bytes fit
  EXPECT_EQ(plan.passes[0].radix, 64);
  EXPECT_EQ(plan.passes[1].radix, 64 * 64);
  problem.groups = {};
  problem.memory_bytes = 4 * one_mib;
  const ooc_choice::DiskAlternatives ways = found(problem, disk_of(1e-5));
  EXPECT_EQ(ways.best.passes, 2);
  EXPECT_TRUE(std::any_of(
      ways.others.begin(), ways.others.end(), [](const ooc_choice::DiskAlternative& way) {
        return way.passes == 3 && way.loses_by.find("instead of 2") != std::string::npos;
      }));
}

TEST(Ways, if_nothing_fits_the_error_has_the_reason) {
  expect_error(ErrorCode::invalid_argument, {"are enough"},
               [] { found(line(1 << 24, 1000), disk_of(1e-5)); });
  expect_error(ErrorCode::invalid_argument, {"f80"}, [] {
    KPassProblem problem = line(1 << 24, one_mib);
    problem.precision = Precision::f80;
    found(problem, disk_of(1e-5));
  });
}

}  // namespace
}  // namespace weft::ooc
