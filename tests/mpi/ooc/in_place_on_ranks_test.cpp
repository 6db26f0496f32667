// Transforms in place on ranks, resumed after one rank failed. A failure may lose writes that were
// not flushed.
#include <gtest/gtest.h>
#include <mpi.h>

#include <array>
#include <memory>
#include <vector>

#include "comm/agreement.hpp"
#include "mpi/support/ooc_disks.hpp"
#include "mpi/support/same_error.hpp"
#include "mpi/support/seed_of_all_ranks.hpp"
#include "mpi/support/slow_hand_over.hpp"
#include "mpi/support/world.hpp"
#include "ooc/plan/k_pass_planner.hpp"
#include "ooc/ranks/run_on_ranks.hpp"
#include "support/ooc_reference.hpp"
#include "support/unsafe_volume.hpp"

namespace weft::ooc {
namespace {

using test_support::all_ranks;
using test_support::draw;
using test_support::expect_same_error;
using test_support::Power;
using test_support::Random;
using test_support::UnsafeVolume;

/// Returns the progress that the first rank saved last. The first rank saves after the others, so
/// its progress holds for all.
PassProgress progress_of_first_rank(const PassProgress& kept) {
  std::array<std::int64_t, 3> values = {kept.pass, kept.panels_done, kept.has_journal ? 1 : 0};
  MPI_Bcast(values.data(), 3, MPI_INT64_T, 0, MPI_COMM_WORLD);
  return {.pass = values[0], .panels_done = values[1], .has_journal = values[2] == 1};
}

/// This rank's disks: its part of the array, and its scratch space.
class OwnDisks {
 public:
  OwnDisks(const KPassPlan& plan, OwnershipPtr ownership, int rank)
      : ownership_(std::move(ownership)), rank_(rank), array_(plan.output_bytes()) {
    for (int k = 0; k < scratch_volumes; ++k)
      if (const std::int64_t bytes = scratch_bytes(plan, rank, k))
        scratch_.at(static_cast<std::size_t>(k)) = std::make_unique<UnsafeVolume>(bytes);
  }

  void put(const std::vector<std::byte>& array) {
    std::vector<std::byte> mine(array.size(), untouched);
    for_each_held(*ownership_, std::ssize(array), rank_, [&](auto at, auto bytes) {
      std::copy_n(array.data() + at, bytes, mine.data() + at);
    });
    array_.begin_with(mine);
  }
  VolumesOnRanks volumes(Power& power) {
    array_.use(&power);
    for (const auto& each : scratch_)
      if (each) each->use(&power);
    return {{&array_, ownership_}, {&array_, ownership_}, {scratch_[0].get(), scratch_[1].get()}};
  }
  void fail(Random& random) {
    array_.fail(random);
    for (const auto& each : scratch_)
      if (each) each->fail(random);
  }
  /// Returns the array of all ranks. Checks that this rank wrote no bytes of other ranks.
  std::vector<std::byte> gathered() {
    std::vector<std::byte> mine(array_.content().size());
    std::vector<std::byte> others = array_.content();
    for_each_held(*ownership_, std::ssize(mine), rank_, [&](auto at, auto bytes) {
      std::copy_n(array_.content().data() + at, bytes, mine.data() + at);
      std::fill_n(others.begin() + at, bytes, untouched);
    });
    EXPECT_EQ(others, std::vector<std::byte>(others.size(), untouched));
    MPI_Allreduce(MPI_IN_PLACE, mine.data(), static_cast<int>(mine.size()), MPI_BYTE, MPI_BOR,
                  MPI_COMM_WORLD);
    return mine;
  }

 private:
  OwnershipPtr ownership_;
  int rank_;
  UnsafeVolume array_;
  std::array<std::unique_ptr<UnsafeVolume>, scratch_volumes> scratch_;
};

KPassProblem problem_of(const Shape& shape, int lg_memory, int lg_block) {
  KPassProblem problem;
  problem.shape = shape;
  for (int axis = 0; axis < std::ssize(shape); ++axis) problem.axes.push_back(axis);
  return sized(problem, lg_memory, lg_block);
}

std::vector<std::byte> result_out_of_place(const KPassProblem& problem,
                                           const OwnershipPtr& ownership,
                                           const std::vector<std::byte>& x) {
  const KPassPlan plan = distribute_plan(plan_passes(problem), all_ranks().size());
  Disks disks(plan, ownership, ownership, all_ranks().rank());
  disks.put(x);
  run_on_ranks(plan, all_ranks(), disks.volumes());
  return disks.gathered();
}

KPassPlan planned_in_place(KPassProblem problem, const OwnershipPtr& ownership, bool keeps) {
  problem.in_place = true;
  problem.preserve_inputs = keeps;
  return distribute_plan(plan_passes(problem), all_ranks().size(), ownership);
}

bool has_several_batches(const KPassPlan& plan, const OwnershipPtr& ownership) {
  for (std::size_t pass = 0; pass < plan.passes.size(); ++pass) {
    const PassSide side = writing_side(plan, pass, ownership);
    for (std::int64_t k = 0; k < PanelSchedule(plan.passes[pass], plan.ranks).rounds(); ++k)
      if (ExchangeRound(side, k).batches(0).batches.size() > 1) return true;
  }
  return false;
}

/// Runs the transform, and resumes it after each failure until it is complete. One rank fails at a
/// random operation, at most three times. Returns the number of failures. `common` draws the same
/// numbers on all ranks.
int run_through_failures(const KPassPlan& plan, OwnDisks& disks, Random& common, Random& own) {
  PassProgress kept;
  const Checkpoints checkpoints = {.is_due = [&] { return draw(own, 0, 2) == 0; },
                                   .keep = [&](const PassProgress& at) { kept = at; }};
  for (int failures = 0;; ++failures) {
    const auto unlucky = static_cast<int>(draw(common, 0, all_ranks().size() - 1));
    // With more ranks, each rank has fewer operations.
    const std::int64_t most = 2500 / all_ranks().size();
    const std::int64_t operations = failures < 3 ? draw(common, 0, most) : INT64_MAX;
    Power power(all_ranks().rank() == unlucky ? operations : INT64_MAX);
    const auto error = comm::error_of([&] {
      run_on_ranks(plan, all_ranks(), disks.volumes(power),
                   {.checkpoints = checkpoints, .start = progress_of_first_rank(kept)});
    });
    if (!error) return failures;
    EXPECT_EQ(error->code(), ErrorCode::io_failure) << error->what();
    disks.fail(own);
  }
}

TEST(OocInPlaceOnRanks, HasTheBitsOfATransformOutOfPlace) {
  if (rank_count_is_left_out()) GTEST_SKIP();
  if (ranks_share_cores_slowly()) GTEST_SKIP() << slow;
  const std::uint64_t seed = test_support::seed_of_all_ranks(138);
  SCOPED_TRACE(test_support::repeated_by(seed));
  Random common(seed);
  Random own(seed + 1 + static_cast<std::uint64_t>(all_ranks().rank()));
  int failures = 0;
  int plans_with_several_batches = 0;
  for (const KPassProblem& problem : {problem_of({12, 14, 18, 5}, 10, 2),
                                      problem_of({64, 96}, 11, 3), problem_of({1 << 12}, 9, 3)})
    for (int which = 0; which < 8; ++which) {
      SCOPED_TRACE(weft::to_string(problem.shape) + ", ownership " + std::to_string(which));
      const std::int64_t points = volume(problem.shape);
      const auto x = bytes_of<double>(test_support::random_exact(points, seed, false), false);
      const OwnershipPtr ownership = ooc::ownership(which, std::ssize(x), all_ranks().size());
      const auto expected = result_out_of_place(problem, ownership, x);
      {
        const KPassPlan plan = planned_in_place(problem, ownership, false);
        OwnDisks disks(plan, ownership, all_ranks().rank());
        disks.put(x);
        Power power(INT64_MAX);
        run_on_ranks(plan, all_ranks(), disks.volumes(power));
        EXPECT_EQ(disks.gathered(), expected);
      }
      const KPassPlan plan = planned_in_place(problem, ownership, true);
      plans_with_several_batches +=
          plan.journal_slot_bytes > 0 && has_several_batches(plan, ownership);
      for (int k = 0; k < 3; ++k) {
        OwnDisks disks(plan, ownership, all_ranks().rank());
        disks.put(x);
        failures += run_through_failures(plan, disks, common, own);
        ASSERT_EQ(disks.gathered(), expected) << "run " << k;
      }
    }
  EXPECT_GT(failures, 40);
  if (all_ranks().size() > 1) {
    EXPECT_GT(plans_with_several_batches, 0);
  }
}

TEST(OocInPlaceOnRanks, RefusesUnusableCheckpointsAndVolumes) {
  if (rank_count_is_left_out()) GTEST_SKIP();
  const KPassProblem problem = problem_of({12, 14, 18, 5}, 10, 2);
  const OwnershipPtr ownership = owned_by_parts(0, volume(problem.shape) * 16, all_ranks().size());
  const Checkpoints checkpoints = {.is_due = [] { return false; },
                                   .keep = [](const PassProgress&) {}};
  const KPassPlan plain = planned_in_place(problem, ownership, false);
  OwnDisks disks(plain, ownership, all_ranks().rank());
  Power power(INT64_MAX);
  expect_same_error(MPI_COMM_WORLD, ErrorCode::invalid_argument, {"keep their input"}, [&] {
    run_on_ranks(plain, all_ranks(), disks.volumes(power), {.checkpoints = checkpoints});
  });
  const KPassPlan kept = planned_in_place(problem, ownership, true);
  OwnDisks kept_disks(kept, ownership, all_ranks().rank());
  expect_same_error(MPI_COMM_WORLD, ErrorCode::invalid_argument, {"in a journal"}, [&] {
    run_on_ranks(kept, all_ranks(), kept_disks.volumes(power),
                 {.checkpoints = checkpoints,
                  .start = {.panels_done = panel_count(kept.passes[0]), .has_journal = true}});
  });
  UnsafeVolume another(kept.output_bytes());
  expect_same_error(MPI_COMM_WORLD, ErrorCode::invalid_argument, {"different volumes"}, [&] {
    VolumesOnRanks volumes = kept_disks.volumes(power);
    volumes.input.volume = &another;
    run_on_ranks(kept, all_ranks(), volumes, {.checkpoints = checkpoints});
  });
}

}  // namespace
}  // namespace weft::ooc
