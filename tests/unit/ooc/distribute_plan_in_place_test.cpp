// Plans in place that are distributed to ranks.
#include <gtest/gtest.h>

#include "layout/striping.hpp"
#include "ooc/plan/distribute_plan.hpp"
#include "ooc/plan/k_pass_planner.hpp"
#include "unit/support/expect_error.hpp"

namespace weft::ooc {
namespace {

using test_support::expect_error;

KPassPlan planned(const Shape& shape, bool preserve_inputs) {
  KPassProblem problem = {.shape = shape,
                          .axes = {},
                          .memory_bytes = 16 << 10,
                          .block_bytes = 64,
                          .preserve_inputs = preserve_inputs,
                          .in_place = true};
  for (int axis = 0; axis < std::ssize(shape); ++axis) problem.axes.push_back(axis);
  return plan_passes(problem);
}

OwnershipPtr on_disks(const KPassPlan& plan, int disks, int ranks) {
  return owned_by_disks({.bytes = plan.input_bytes(), .block_bytes = 4096, .disks = disks}, ranks);
}

TEST(InPlaceOnRanks, passes_that_move_no_digits_stay_in_place_and_have_a_journal) {
  const KPassPlan plan = planned({48, 30, 20}, true);
  ASSERT_GE(plan.passes.size(), 2u);
  for (const int ranks : {2, 3, 5}) {
    const OwnershipPtr array = on_disks(plan, 2 * ranks, ranks);
    const KPassPlan distributed = distribute_plan(plan, ranks, array);
    std::int64_t most = 0;
    for (std::size_t i = 0; i < distributed.passes.size(); ++i) {
      const KPass& pass = distributed.passes[i];
      EXPECT_EQ(pass.source, model::VolumeRole::output);
      EXPECT_EQ(pass.target, model::VolumeRole::output);
      EXPECT_TRUE(pass.journaled);
      EXPECT_EQ(reading_side(distributed, i, array).ownership, array);
      most = std::max(most, rounds_on_disks(writing_side(distributed, i, array)).most_bytes);
    }
    EXPECT_GE(distributed.journal_slot_bytes, most);
    EXPECT_LT(distributed.journal_slot_bytes, most + 4096);
    EXPECT_EQ(distributed.journal_first_byte, 0);
    for (int rank = 0; rank < ranks; ++rank) {
      EXPECT_EQ(scratch_bytes(distributed, rank, 0), 2 * distributed.journal_slot_bytes);
      EXPECT_EQ(scratch_bytes(distributed, rank, 1), 0);
    }
    EXPECT_EQ(distributed.scratch_bytes, ranks * 2 * distributed.journal_slot_bytes);
    EXPECT_EQ(counts_of(distributed).journal_bytes,
              std::ssize(distributed.passes) * distributed.output_bytes());
  }
}

/// The array has one block, which is on the disks of one rank.
TEST(InPlaceOnRanks, a_whole_round_may_be_on_the_disks_of_one_rank) {
  const KPassPlan plan = planned({4, 4}, true);
  const OwnershipPtr array =
      owned_by_disks({.bytes = plan.input_bytes(), .block_bytes = 4096, .disks = 3}, 3);
  const KPassPlan distributed = distribute_plan(plan, 3, array);  // one block, on the first disk
  const RoundsOnDisks rounds = rounds_on_disks(writing_side(distributed, 0, array));
  EXPECT_EQ(rounds.most_bytes, plan.input_bytes());
  EXPECT_EQ(rounds.earlier_bytes, 0);  // the whole array fits in memory
}

TEST(InPlaceOnRanks, without_checkpoints_passes_take_no_scratch_space) {
  const KPassPlan plan = planned({48, 30, 20}, false);
  const KPassPlan distributed = distribute_plan(plan, 3, on_disks(plan, 3, 3));
  EXPECT_EQ(distributed.scratch_bytes, 0);
  EXPECT_EQ(counts_of(distributed).journal_bytes, 0);
  for (const KPass& pass : distributed.passes) EXPECT_EQ(pass.target, model::VolumeRole::output);
}

TEST(InPlaceOnRanks, digits_move_through_temporary_space) {
  for (const bool keeps : {true, false}) {
    const KPassPlan plan = planned({1 << 12}, keeps);
    ASSERT_GE(plan.passes.size(), 2u);
    const OwnershipPtr array = on_disks(plan, 3, 3);
    const KPassPlan distributed = distribute_plan(plan, 3, array);
    EXPECT_TRUE(distributed.problem.preserve_inputs);
    EXPECT_EQ(distributed.journal_slot_bytes, 0);
    EXPECT_EQ(distributed.passes.front().source, model::VolumeRole::output);
    EXPECT_EQ(distributed.passes.front().target, model::VolumeRole::scratch);
    EXPECT_EQ(distributed.passes.back().source, model::VolumeRole::scratch);
    EXPECT_EQ(distributed.passes.back().target, model::VolumeRole::output);
    EXPECT_EQ(reading_side(distributed, 0, array).ownership, array);
    EXPECT_GE(distributed.scratch_bytes, distributed.output_bytes());
  }
}

TEST(InPlaceOnRanks, a_plan_without_an_ownership_is_refused) {
  expect_error(ErrorCode::invalid_argument, {"in place", "given none", "give the ownership"}, [] {
    distribute_plan(planned({48, 30, 20}, true), 3);
  });
}

}  // namespace
}  // namespace weft::ooc
