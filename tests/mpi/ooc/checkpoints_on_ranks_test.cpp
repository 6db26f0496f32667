// Transforms on ranks that fail after any round, and resume from their last checkpoint.
#include <gtest/gtest.h>
#include <mpi.h>

#include <array>
#include <vector>

#include <weft/error.hpp>

#include "comm/agreement.hpp"
#include "mpi/support/ooc_disks.hpp"
#include "mpi/support/same_error.hpp"
#include "mpi/support/seed_of_all_ranks.hpp"
#include "mpi/support/world.hpp"
#include "ooc/plan/k_pass_planner.hpp"
#include "ooc/ranks/run_on_ranks.hpp"
#include "support/ooc_reference.hpp"

namespace weft::ooc {
namespace {

using test_support::all_ranks;
using test_support::expect_same_error;

/// Returns the last progress of the first rank, on all ranks.
PassProgress shared(PassProgress kept) {
  std::array<std::int64_t, 2> values = {kept.pass, kept.panels_done};
  MPI_Bcast(values.data(), 2, MPI_INT64_T, 0, MPI_COMM_WORLD);
  return {.pass = values[0], .panels_done = values[1]};
}

/// The last rank fails after each round in turn. Data that was not on the disks is lost.
TEST(OocCheckpointsOnRanks, ResumesFromItsLastCheckpoint) {
  if (rank_count_is_left_out()) GTEST_SKIP();
  const comm::Communicator comm = all_ranks();
  const KPassProblem problem =
      sized({.shape = {1 << 12}, .axes = {0}, .precision = Precision::f64}, 9, 3);
  const KPassPlan plan = distribute_plan(plan_passes(problem), comm.size());
  ASSERT_GE(plan.passes.size(), 4u);  // the third pass overwrites the input of the second
  const OwnershipPtr input = ownership(3, plan.input_bytes(), comm.size());
  const OwnershipPtr output = ownership(7, plan.output_bytes(), comm.size());
  const std::uint64_t seed = test_support::seed_of_all_ranks(71);
  SCOPED_TRACE(test_support::repeated_by(seed));
  const auto x = bytes_of<double>(test_support::random_exact(1 << 12, seed, false), false);
  Disks alone(plan, input, output, comm.rank());
  alone.put(x);
  run_on_ranks(plan, comm, alone.volumes());
  const std::vector<std::byte> expected = alone.gathered();
  std::int64_t failures = 0;
  for (bool failed = true; failed; ++failures) {
    Disks disks(plan, input, output, comm.rank());
    disks.put(x);
    PassProgress kept;
    std::int64_t rounds = 0;
    const auto told = [&](const PassProgress& at) {
      kept = at;
      disks.flush();
    };
    // Checkpoints are in the middle of passes. Rounds after the last checkpoint are done again.
    const Checkpoints checkpoints = {.is_due = [&] { return rounds % 11 == 0; }, .keep = told};
    const auto error = comm::error_of([&] {
      const auto fail = [&](const PassProgress&) {
        if (rounds++ == failures && comm.rank() == comm.size() - 1)
          throw Error(ErrorCode::unsupported, "enough");
      };
      run_on_ranks(plan, comm, disks.volumes(), {.on_panel = fail, .checkpoints = checkpoints});
    });
    failed = error.has_value();
    if (failed) {
      disks.fail();
      run_on_ranks(
          plan, comm, disks.volumes(),
          {.checkpoints = {.is_due = [] { return true; }, .keep = told}, .start = shared(kept)});
    }
    EXPECT_EQ(disks.gathered(), expected) << "after " << failures << " rounds";
  }
  EXPECT_GT(failures, 3 * std::ssize(plan.passes));
}

/// The first rank's clock decides for all ranks. The first rank saves its progress last.
TEST(OocCheckpointsOnRanks, TheFirstRankDecidesAndSavesLast) {
  if (rank_count_is_left_out()) GTEST_SKIP();
  const comm::Communicator comm = all_ranks();
  const KPassProblem problem =
      sized({.shape = {1 << 14}, .axes = {0}, .precision = Precision::f64}, 11, 4);
  const KPassPlan plan = distribute_plan(plan_passes(problem), comm.size());
  const OwnershipPtr ends = owned_by_parts(0, plan.input_bytes(), comm.size());
  Disks disks(plan, ends, ends, comm.rank());
  disks.put(std::vector<std::byte>(static_cast<std::size_t>(plan.input_bytes())));
  std::vector<PassProgress> told;
  std::int64_t asked = 0;
  run_on_ranks(plan, comm, disks.volumes(),
               {.checkpoints = {.is_due = [&] { return ++asked % 2 == 0; },
                                .keep = [&](const PassProgress& at) { told.push_back(at); }}});
  EXPECT_EQ(asked > 0, comm.rank() == 0);
  std::int64_t number = std::ssize(told);
  MPI_Bcast(&number, 1, MPI_INT64_T, 0, MPI_COMM_WORLD);
  EXPECT_EQ(std::ssize(told), number);
  EXPECT_GE(number, std::ssize(plan.passes));
  for (const PassProgress& at : told)
    EXPECT_TRUE(at.panels_done == at.panels || at.panels_done % comm.size() == 0);
  const int unlucky = comm.size() - 1;
  expect_same_error(MPI_COMM_WORLD, ErrorCode::io_failure, {"no room for a note"}, [&] {
    run_on_ranks(plan, comm, disks.volumes(),
                 {.checkpoints = {.is_due = [] { return true; },
                                  .keep =
                                      [&](const PassProgress&) {
                                        if (comm.rank() == unlucky)
                                          throw Error(ErrorCode::io_failure, "no room for a note");
                                        EXPECT_NE(comm.rank(), 0) << "saved before all others";
                                      }}});
  });
}

}  // namespace
}  // namespace weft::ooc
