// The predicted time of passes on ranks, compared with sums made by hand.
#include "ooc/plan/distributed_cost.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "ooc/plan/distribute_plan.hpp"
#include "ooc/plan/k_pass_planner.hpp"
#include "unit/support/expect_error.hpp"
#include "unit/support/round_prices.hpp"

namespace weft::ooc {
namespace {

using namespace test_support;

/// Returns a machine whose messages take 1 ms and 1 us a byte within a node, and ten times as much
/// between nodes.
Machine round_links() {
  Machine machine = round_machine();
  machine.within_node = {.pieces = {{0, 1e-3, 1e-6}}};
  machine.between_nodes = {.pieces = {{0, 1e-2, 1e-5}}};
  machine.barrier_s = 0;
  return machine;
}

OwnershipPtr halves(const KPassPlan& plan, int ranks) {
  return owned_by_parts(0, plan.input_bytes(), ranks);
}

KPassCost only(const KPassPlan& plan, std::int64_t ranks_per_node, const Machine& machine,
               const model::DiskAssignment& storage = {.disks = {round_disk()}}) {
  const OwnershipPtr held = halves(plan, plan.ranks);
  const KPassPlanCost price = distributed_cost(plan, ranks_per_node, machine, storage, held, held);
  EXPECT_EQ(price.passes.size(), 1u);
  EXPECT_EQ(price.seconds(), price.passes[0].seconds);
  return price.passes[0];
}

// Each rank has half of every column on its disks. So in a round, each rank sends half of the other
// rank's panel after the read, and half of its own panel before the write.
constexpr double half_panel_bytes = 64 * 256 / 2;
constexpr double round_message_s = 2 * (1e-3 + half_panel_bytes * 1e-6);
constexpr double rank_compute_s = panel_arithmetic_s + 3 * panel_memory_s;  // two copies more

TEST(PriceOnRanks, of_two_rounds_by_hand_where_the_disk_limits) {
  const KPassCost price = only(distribute_plan(columns(), 2), 2, round_links());
  EXPECT_NEAR(price.read_s, 4 * panel_read_s, 1e-12);
  EXPECT_NEAR(price.write_s, 4 * panel_write_s, 1e-12);
  EXPECT_NEAR(price.arithmetic_s, 2 * panel_arithmetic_s, 1e-12);
  EXPECT_NEAR(price.memory_s, 2 * 3 * panel_memory_s, 1e-12);
  EXPECT_NEAR(price.message_s, 2 * round_message_s, 1e-12);
  // The second round is read while the first is computed. The first is written while the second is
  // computed.
  EXPECT_NEAR(price.ends_s, 2 * panel_read_s + 2 * panel_write_s + 0.02, 1e-12);
  EXPECT_NEAR(price.seconds, 0.02 + 4 * (panel_read_s + panel_write_s), 1e-12);
  EXPECT_EQ(price.limit, PassLimit::disk);
}

TEST(PriceOnRanks, of_two_rounds_by_hand_where_messages_limit) {
  Machine machine = round_links();
  machine.within_node.pieces[0].s_per_byte = 1e-3;
  const KPassCost price = only(distribute_plan(columns(), 2), 2, machine);
  const double message_s = 2 * (1e-3 + half_panel_bytes * 1e-3);
  EXPECT_NEAR(price.message_s, 2 * message_s, 1e-9);
  EXPECT_NEAR(price.seconds,
              0.02 + 2 * panel_read_s + 2 * panel_write_s + 2 * (rank_compute_s + message_s), 1e-9);
  EXPECT_EQ(price.limit, PassLimit::messages);
}

TEST(PriceOnRanks, links_between_nodes_are_shared_by_the_ranks_of_a_node) {
  EXPECT_NEAR(only(distribute_plan(columns(), 2), 1, round_links()).message_s,
              2 * 10 * round_message_s, 1e-12);
  // Four ranks are on two nodes. Each rank sends a quarter of its panel to the other rank of its
  // node, and two messages of a quarter to the other node. Both ranks of a node share the link
  // between nodes.
  const double quarter = 64 * 256 / 4;
  const double side_s = 1e-3 + quarter * 1e-6 + 2 * 2 * (1e-2 + quarter * 1e-5);
  EXPECT_NEAR(only(distribute_plan(columns(), 4), 2, round_links()).message_s, 2 * side_s, 1e-12);
}

TEST(PriceOnRanks, links_that_take_turns_take_twice_as_long) {
  const KPassPlan plan = distribute_plan(columns(), 2);
  Machine machine = round_links();
  const double each_s = only(plan, 1, machine).message_s;
  machine.between_nodes.full_duplex = false;
  EXPECT_NEAR(only(plan, 1, machine).message_s, 2 * each_s, 1e-12);
  machine.between_nodes.full_duplex = true;
  machine.between_nodes.processor_s_per_byte = 1e-4;
  EXPECT_NEAR(only(plan, 1, machine).message_s, each_s + 2 * 2 * half_panel_bytes * 1e-4, 1e-12);
}

/// The rank that receives or sends most decides, even if the others have little.
TEST(PriceOnRanks, the_rank_that_has_all_disks_decides) {
  const KPassPlan plan = distribute_plan(columns(), 4);
  const OwnershipPtr all = owned_by_parts(0, plan.input_bytes(), 1);
  const OwnershipPtr even = halves(plan, 4);
  const model::DiskAssignment storage{.disks = {round_disk()}};
  const auto message_s = [&](const OwnershipPtr& input, const OwnershipPtr& output) {
    return distributed_cost(plan, 4, round_links(), storage, input, output).passes[0].message_s;
  };
  // If the first rank has all data, it sends three panels in a round of four. With equal parts,
  // each rank sends 3/4 of a panel.
  EXPECT_NEAR(message_s(all, all), 2 * 3 * (1e-3 + 64 * 256 * 1e-6), 1e-12);
  EXPECT_NEAR(message_s(even, even), 2 * 3 * (1e-3 + 64 * 256 / 4 * 1e-6), 1e-12);
}

TEST(PriceOnRanks, ranks_meet_before_they_exchange) {
  const KPassPlan plan = distribute_plan(columns(), 4);
  Machine machine = round_links();
  const double without_s = only(plan, 4, machine).message_s;
  machine.barrier_s = 1e-3;
  EXPECT_NEAR(only(plan, 4, machine).message_s, without_s + 2 * 2 * 1e-3, 1e-12);
}

TEST(PriceOnRanks, ranks_of_a_node_share_its_cores) {
  Machine machine = round_links();
  const KPassPlan plan = distribute_plan(columns(), 4);
  const double alone_s = only(plan, 4, machine).arithmetic_s;
  EXPECT_NEAR(alone_s, panel_arithmetic_s, 1e-12);
  machine.cores_per_node = 2;
  EXPECT_NEAR(only(plan, 4, machine).arithmetic_s, 2 * alone_s, 1e-12);
  EXPECT_NEAR(only(plan, 2, machine).arithmetic_s, alone_s, 1e-12);
}

TEST(PriceOnRanks, each_rank_waits_for_its_own_synchronous_accesses) {
  const model::DiskAssignment one{.disks = {round_disk()}, .asynchronous = false};
  const KPassPlan plan = distribute_plan(columns(), 2);
  const double read_s = 4 * 64 * (1e-2 + 256e-6);
  const double write_s = 4 * 64 * (1e-2 + 512e-6);
  const double computed_s = 2 * (rank_compute_s + round_message_s);
  EXPECT_NEAR(only(plan, 2, round_links(), one).seconds, read_s + write_s + computed_s, 1e-9);
}

/// The data between the first and the last pass is stored where ranks need it.
TEST(PriceOnRanks, messages_equal_the_counted_messages) {
  KPassProblem problem{
      .shape = {1 << 14}, .axes = {0}, .memory_bytes = 16 << 11, .block_bytes = 16 << 4};
  const KPassPlan plan = distribute_plan(plan_passes(problem), 4);
  ASSERT_GT(plan.passes.size(), 2u);
  const OwnershipPtr held = halves(plan, 4);
  std::int64_t messages = 0;
  for (const RankTraffic& sent : traffic_of(plan, held, held))
    messages = std::max(messages, sent.messages);
  Machine machine = round_links();
  machine.within_node = {.pieces = {{0, 1, 1e-30}}};
  const KPassPlanCost price =
      distributed_cost(plan, 4, machine, {.disks = {round_disk()}}, held, held);
  double counted = 0;
  for (const KPassCost& pass : price.passes) counted += pass.message_s;
  EXPECT_NEAR(counted, static_cast<double>(messages), 0.05 * static_cast<double>(messages));
  EXPECT_EQ(price.passes[1].limit, PassLimit::messages);
}

TEST(PriceOnRanks, journals_are_waited_for) {
  KPassProblem problem{.shape = {64, 64},
                       .axes = {0},
                       .memory_bytes = 80 << 10,
                       .block_bytes = 256,
                       .preserve_inputs = true,
                       .in_place = true};
  const KPassPlan kept = distribute_plan(plan_passes(problem), 2, owned_by_parts(0, 65536, 2));
  problem.preserve_inputs = false;
  const KPassPlan plain = distribute_plan(plan_passes(problem), 2, owned_by_parts(0, 65536, 2));
  ASSERT_TRUE(kept.passes[0].journaled);
  const KPassCost with = only(kept, 2, round_links());
  const KPassCost without = only(plain, 2, round_links());
  const auto panels = static_cast<double>(panel_count(kept.passes[0]));
  const double rounds = std::ceil(panels / 2);
  const double journal_s = panels * 2e-3 + 65536 * 2e-6 + rounds * 0.01;
  EXPECT_NEAR(with.write_s - without.write_s, journal_s, 1e-9);
  EXPECT_NEAR(with.seconds - without.seconds, journal_s, 1e-9);
}

TEST(PriceOnRanks, nodes_without_ranks_are_refused) {
  const KPassPlan plan = distribute_plan(columns(), 2);
  expect_error(ErrorCode::invalid_argument, {"a node has 1 rank or more", "given 0"},
               [&] { only(plan, 0, round_links()); });
}

}  // namespace
}  // namespace weft::ooc
