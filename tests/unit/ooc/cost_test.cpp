// Compares the predicted time of passes over disks with sums made by hand.
#include "ooc/plan/cost.hpp"

#include <gtest/gtest.h>

#include "ooc/plan/k_pass_planner.hpp"
#include "unit/support/expect_error.hpp"
#include "unit/support/round_prices.hpp"

namespace weft::ooc {
namespace {

using namespace test_support;

constexpr std::int64_t mib = 1 << 20;
/// Both latencies of a pass: of its first read and of its last write.
constexpr double latencies_s = 2 * 1e-2;

KPassCost cost_of_only_pass(const KPassPlanCost& cost) {
  EXPECT_EQ(cost.passes.size(), 1u);
  EXPECT_EQ(cost.seconds(), cost.passes[0].seconds);
  return cost.passes[0];
}

TEST(KPassCosts, the_sum_by_hand_where_the_disk_limits) {
  const KPassCost cost =
      cost_of_only_pass(cost_of(columns(), round_machine(), {.disks = {round_disk()}}));
  EXPECT_NEAR(cost.read_s, 4 * panel_read_s, 1e-12);
  EXPECT_NEAR(cost.write_s, 4 * panel_write_s, 1e-12);
  EXPECT_NEAR(cost.arithmetic_s, 4 * panel_arithmetic_s, 1e-12);
  EXPECT_NEAR(cost.memory_s, 4 * panel_memory_s, 1e-12);
  EXPECT_NEAR(cost.ends_s, panel_read_s + panel_write_s + latencies_s, 1e-12);
  // While panel 1 is transformed, panel 2 is read. While panels 2 and 3 are transformed, one panel
  // is read and one written. While panel 4 is transformed, panel 3 is written.
  EXPECT_NEAR(cost.seconds, latencies_s + 4 * (panel_read_s + panel_write_s), 1e-12);
  EXPECT_EQ(cost.limit, PassLimit::disk);
}

TEST(KPassCosts, the_sum_by_hand_where_arithmetic_limits) {
  Machine machine = round_machine();
  machine.arithmetic[0].operation_s = 1e-4;
  const KPassCost cost = cost_of_only_pass(cost_of(columns(), machine, {.disks = {round_disk()}}));
  const double compute_s = 4 * (100 * panel_arithmetic_s + panel_memory_s);
  EXPECT_NEAR(cost.seconds, compute_s + panel_read_s + panel_write_s + latencies_s, 1e-9);
  EXPECT_EQ(cost.limit, PassLimit::arithmetic);
  machine.copying[0].transposed_s_per_byte = 1e-3;
  EXPECT_EQ(cost_of_only_pass(cost_of(columns(), machine, {.disks = {round_disk()}})).limit,
            PassLimit::memory);
}

TEST(KPassCosts, threads_share_arithmetic_and_memory) {
  KPassPlan plan = columns();
  plan.problem.threads = 4;
  const KPassCost cost =
      cost_of_only_pass(cost_of(plan, round_machine(), {.disks = {round_disk()}}));
  EXPECT_NEAR(cost.arithmetic_s, panel_arithmetic_s, 1e-12);
  EXPECT_NEAR(cost.memory_s, panel_memory_s, 1e-12);
}

TEST(KPassCosts, nothing_overlaps_without_asynchronous_accesses) {
  const model::DiskAssignment storage{.disks = {round_disk()}, .asynchronous = false};
  const KPassCost cost = cost_of_only_pass(cost_of(columns(), round_machine(), storage));
  // Each access waits for the whole latency of 10 ms. The time of its bytes is extra.
  const double read_s = 64 * (1e-2 + 256e-6);
  const double write_s = 64 * (1e-2 + 512e-6);
  EXPECT_NEAR(cost.seconds, 4 * (read_s + write_s + panel_compute_s), 1e-12);
}

TEST(KPassCosts, nothing_overlaps_with_too_few_buffers) {
  KPassPlan plan = columns();
  plan.problem.buffers = 2;
  const KPassCost cost =
      cost_of_only_pass(cost_of(plan, round_machine(), {.disks = {round_disk()}}));
  EXPECT_NEAR(cost.seconds, 4 * (panel_read_s + panel_write_s + panel_compute_s + latencies_s),
              1e-12);
}

TEST(KPassCosts, of_three_buffers_a_reordering_pass_leaves_one_for_disks) {
  KPassPlan plan = columns();
  plan.problem.buffers = 3;
  plan.passes = {{.radix = 64, .rest = 64, .axes = {{1, 64, 1}}, .rest_width = 16}};
  ASSERT_FALSE(plan.passes[0].keeps_order());
  const double write_s = 2e-3 + 16 * 64 * 16 * 2e-6;  // in one run
  const double both_s = panel_read_s + write_s;
  model::DiskAssignment storage{.disks = {round_disk()}};
  KPassCost cost = cost_of_only_pass(cost_of(plan, round_machine(), storage));
  EXPECT_NEAR(cost.seconds, latencies_s + 4 * both_s, 1e-12);
  // The next read needs a free buffer. There is one after the write or after the transform,
  // whichever ends first.
  storage = {.disks = {round_disk(), round_disk()}, .output = {1}};
  ASSERT_LT(panel_compute_s, write_s);
  cost = cost_of_only_pass(cost_of(plan, round_machine(), storage));
  EXPECT_NEAR(cost.seconds, latencies_s + 2 * both_s + 2 * (panel_compute_s + panel_read_s), 1e-12);
  Machine slower = round_machine();
  slower.arithmetic[0].operation_s *= 2;
  const double compute_s = panel_compute_s + panel_arithmetic_s;
  ASSERT_GT(compute_s, write_s);
  cost = cost_of_only_pass(cost_of(plan, slower, storage));
  EXPECT_NEAR(cost.seconds, latencies_s + 3 * both_s + panel_read_s + compute_s, 1e-12);
}

TEST(KPassCosts, input_and_output_on_disks_of_their_own_are_read_and_written_together) {
  const model::DiskAssignment storage{.disks = {round_disk(), round_disk()}, .output = {1}};
  const KPassCost cost = cost_of_only_pass(cost_of(columns(), round_machine(), storage));
  EXPECT_NEAR(cost.seconds, latencies_s + 2 * panel_read_s + 4 * panel_write_s, 1e-12);
}

TEST(KPassCosts, several_disks_share_runs_and_the_slowest_decides) {
  KPassPlan plan = columns();
  plan.problem.block_bytes = mib;
  model::DiskAssignment storage{
      .disks = {round_disk(), round_disk()}, .input = {0, 1}, .output = {0, 1}};
  KPassCost cost = cost_of_only_pass(cost_of(plan, round_machine(), storage));
  EXPECT_NEAR(cost.read_s, 4 * panel_read_s / 2, 1e-12);
  storage.disks[1].read_bytes_per_s /= 10;
  cost = cost_of_only_pass(cost_of(plan, round_machine(), storage));
  EXPECT_NEAR(cost.read_s, 4 * 64 * (1e-3 + 2560e-6) / 2, 1e-12);
  // Two files on one disk are no faster than one file.
  storage = {.disks = {round_disk()}, .input = {0, 0}, .output = {0, 0}};
  EXPECT_NEAR(cost_of_only_pass(cost_of(plan, round_machine(), storage)).read_s, 4 * panel_read_s,
              1e-12);
}

/// Returns the number of accesses for one run of bytes. Each access costs 1 s, so the time is the
/// number.
double accesses(std::int64_t bytes, std::vector<std::size_t> disk_of_file,
                std::int64_t block_bytes) {
  Disk disk = round_disk();
  disk.read_access_s = 1;
  disk.read_bytes_per_s = 1e30;
  std::vector<double> seconds(1);
  add_seconds({.disks = {disk}, .input = disk_of_file}, model::VolumeRole::input,
              model::DiskAccess::read, {1, static_cast<double>(bytes)}, block_bytes, seconds);
  return seconds[0];
}

TEST(KPassCosts, runs_are_cut_into_accesses_as_in_striped_sets) {
  EXPECT_NEAR(accesses(100, {0}, 4096), 1, 1e-9);
  EXPECT_NEAR(accesses(mib + 1, {0}, 4096), 2, 1e-9);
  EXPECT_NEAR(accesses(4 * mib, {0}, 4 * mib), 4, 1e-9);         // 1 MiB each, whatever the block
  EXPECT_NEAR(accesses(3 * 4096, {0, 0, 0, 0}, 4096), 3, 1e-9);  // one block from each file
  EXPECT_NEAR(accesses(4 * mib, {0, 0}, 4096), 4, 1e-9);         // joined up to 1 MiB
  EXPECT_NEAR(accesses(16 * mib, {0, 0}, 4 * mib), 4, 1e-9);     // larger blocks are not cut
}

/// If accesses take no time, the cost is that of all bytes. If bytes take no time, it is that of
/// all runs.
TEST(KPassCosts, have_the_bytes_and_runs_of_the_plan) {
  struct Case {
    Shape shape;
    std::vector<int> axes;
    bool real_input;
    std::int64_t memory;
  };
  const std::vector<Case> cases = {{{1 << 18}, {0}, false, mib},
                                   {{1 << 19}, {0}, true, mib},
                                   {{64, 128, 64}, {0, 1, 2}, false, mib},
                                   {{128, 32, 128}, {0, 2}, false, mib},
                                   {{2000, 375}, {0, 1}, false, 2 * mib}};
  for (const Case& each : cases) {
    const KPassPlan plan = plan_passes({.shape = each.shape,
                                        .axes = each.axes,
                                        .real_input = each.real_input,
                                        .memory_bytes = each.memory,
                                        .block_bytes = 1024});
    Disk disk = round_disk();
    disk.read_access_s = disk.write_access_s = 0;
    const KPassPlanCost cost_of_bytes = cost_of(plan, round_machine(), {.disks = {disk}});
    disk.read_access_s = disk.write_access_s = 1;
    disk.read_bytes_per_s = disk.write_bytes_per_s = 1e30;
    const KPassPlanCost cost_of_runs = cost_of(plan, round_machine(), {.disks = {disk}});
    for (std::size_t i = 0; i < plan.passes.size(); ++i) {
      const PassCounts counts = counts_of(plan, plan.passes[i]);
      // The model takes all panels for as wide as the widest. The last panels are smaller and have
      // shorter runs, so numbers of runs differ by up to 5 %.
      const auto expect = [&](double found, double expected, double within = 1e-4) {
        EXPECT_NEAR(found / expected, 1, within) << each.shape[0] << " pass " << i;
      };
      expect(cost_of_bytes.passes[i].read_s, static_cast<double>(counts.read_bytes) / 1e6);
      expect(cost_of_bytes.passes[i].write_s, static_cast<double>(counts.written_bytes) / 5e5);
      expect(cost_of_runs.passes[i].read_s, static_cast<double>(counts.read_runs), 0.05);
      expect(cost_of_runs.passes[i].write_s, static_cast<double>(counts.written_runs), 0.05);
    }
  }
}

TEST(KPassCosts, fall_if_bandwidth_grows_or_accesses_get_faster) {
  const KPassPlan plan =
      plan_passes({.shape = {1 << 18}, .axes = {0}, .memory_bytes = mib, .block_bytes = 1024});
  const auto seconds = [&](double bandwidth_factor, double access_factor) {
    Disk disk = round_disk();
    disk.read_bytes_per_s *= bandwidth_factor;
    disk.write_bytes_per_s *= bandwidth_factor;
    disk.read_access_s *= access_factor;
    disk.write_access_s *= access_factor;
    return cost_of(plan, round_machine(), {.disks = {disk}}).seconds();
  };
  for (double factor = 1; factor < 1e3; factor *= 2) {
    EXPECT_LE(seconds(2 * factor, 1), seconds(factor, 1)) << factor;
    EXPECT_LE(seconds(1, 0.5 / factor), seconds(1, 1 / factor)) << factor;
  }
  EXPECT_LT(seconds(4, 1), seconds(1, 1));
  EXPECT_LT(seconds(1, 0.1), seconds(1, 1));
}

TEST(KPassCosts, impossible_disks_are_refused) {
  expect_error(ErrorCode::invalid_argument, {"name a disk for each file"},
               [] { cost_of(columns(), round_machine(), {.disks = {}}); });
  expect_error(ErrorCode::invalid_argument, {"given 1 files on 1 disks"}, [] {
    cost_of(columns(), round_machine(), {.disks = {round_disk()}, .scratch = {1}});
  });
  expect_error(ErrorCode::invalid_argument, {"has 0 disks", "number 2"},
               [] { model::disks_of(round_machine(), {2}); });
  const int not_measured = -1;
  EXPECT_EQ(model::disks_of(round_machine(), {not_measured})[0].directory, "assumed");
}

}  // namespace
}  // namespace weft::ooc
