// k-pass transforms on ranks whose disks are simulated in memory. Compared with the local engine in
// long double.
#include "ooc/ranks/run_on_ranks.hpp"

#include <gtest/gtest.h>
#include <mpi.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <memory>
#include <set>
#include <string>

#include <weft/error.hpp>

#include "base/memory.hpp"
#include "mpi/support/ooc_disks.hpp"
#include "mpi/support/same_error.hpp"
#include "mpi/support/seed_of_all_ranks.hpp"
#include "mpi/support/world.hpp"
#include "ooc/plan/k_pass_planner.hpp"
#include "support/ooc_reference.hpp"

namespace weft::ooc {
namespace {

using test_support::all_ranks;
using test_support::Exact;
using test_support::expect_same_error;

template <class Real>
double relative_error(const KPassPlan& plan, const std::vector<std::byte>& output,
                      const Exact& exact, long double scale) {
  std::vector<Real> values(output.size() / sizeof(Real));
  std::memcpy(values.data(), output.data(), output.size());
  long double error = 0;
  long double norm = 0;
  const bool is_real = plan.problem.real_output;
  for (std::size_t k = 0; k < exact.size(); ++k) {
    const auto at = static_cast<std::size_t>(
        (is_real ? 1 : 2) * test_support::place_in_result(plan, static_cast<std::int64_t>(k)));
    const std::complex<long double> found(values[at], is_real ? 0 : values[at + 1]);
    error += std::norm(found - exact[k] * scale);
    norm += std::norm(exact[k] * scale);
  }
  return static_cast<double>(std::sqrt(error / norm));
}

void expect_result(const KPassPlan& plan, const OwnershipPtr& input, const OwnershipPtr& output,
                   unsigned seed, const PassOptions& options) {
  const KPassProblem& p = plan.problem;
  const bool single = p.precision == Precision::f32;
  const Exact x = test_support::random_exact(volume(p.shape), seed, p.real_input);
  const comm::Communicator comm = all_ranks();
  Disks disks(plan, input, output, comm.rank());
  disks.put(single ? bytes_of<float>(x, p.real_input) : bytes_of<double>(x, p.real_input));

  const RanksOutcome done = run_on_ranks(plan, comm, disks.volumes(), options);

  disks.expect_only_own_bytes_touched();
  const std::vector<std::byte> found = disks.gathered();
  const RankTraffic counted =
      traffic_of(plan, input, output)[static_cast<std::size_t>(comm.rank())];
  EXPECT_EQ(done.sent.messages, counted.messages);
  EXPECT_EQ(done.sent.bytes, counted.bytes);
  EXPECT_EQ(done.held_bytes, memory_bytes(plan));
  EXPECT_LE(done.held_bytes, p.memory_bytes);
  if (comm.rank() != 0) return;
  std::int64_t points = 2;
  for (const int axis : p.axes) points *= p.shape[static_cast<std::size_t>(axis)];
  const Exact exact = test_support::transformed_exact(x, p, options.sign);
  const double error = single ? relative_error<float>(plan, found, exact, options.scale)
                              : relative_error<double>(plan, found, exact, options.scale);
  EXPECT_LT(error, 4 * (single ? 0x1p-24 : 0x1p-53) * std::sqrt(std::log2(points)));
}

struct Case {
  const char* name = "";
  KPassProblem problem;
};

/// Returns problems with one to four or more passes.
std::vector<Case> cases(Precision precision) {
  const auto of = [&](const Shape& shape, std::vector<int> axes) {
    return KPassProblem{.shape = shape, .axes = std::move(axes), .precision = precision};
  };
  KPassProblem transposed = sized(of({1 << 14}, {0}), 12, 3);
  transposed.order = OutputOrder::transposed;
  KPassProblem reals = sized(of({2 * 15015}, {0}), 12, 3);
  reals.real_input = true;
  KPassProblem short_reals = sized(of({1 << 13}, {0}), 15, 3);
  short_reals.real_input = true;
  KPassProblem prime_reals = sized(of({20011}, {0}), 12, 3);
  prime_reals.real_input = true;
  KPassProblem cosines = sized(of({30, 25, 17}, {0, 1, 2}), 12, 3);
  cosines.kinds = {Kind::dct2, Kind::dst1, Kind::dct4};
  cosines.real_input = cosines.real_output = true;
  KPassProblem channel = sized(of({31, 20, 18}, {1, 0, 2}), 13, 3);
  channel.kinds = {Kind::r2c, Kind::dct1, Kind::dst3};
  channel.real_input = true;
  KPassProblem parts = sized(of({2048, 9}, {0, 1}), 11, 2);
  parts.kinds = {Kind::c2c, Kind::dst2};
  KPassProblem threaded = sized(of({1 << 14}, {0}), 12, 3);
  threaded.threads = 2;
  return {{"a line", sized(of({1 << 14}, {0}), 11, 4)},
          {"a short line", sized(of({1 << 13}, {0}), 10, 3)},
          {"a ragged line", sized(of({30030}, {0}), 12, 3)},
          {"a line in memory", sized(of({4099}, {0}), 16, 4)},
          {"threads", threaded},
          {"transposed", transposed},
          {"reals", reals},
          {"short reals", short_reals},
          {"cosines of reals", cosines},
          {"cosines, and reals along the middle axis", channel},
          {"both parts of complex numbers", parts},
          {"a cube", sized(of({30, 25, 17}, {0, 1, 2}), 13, 3)},
          {"the last axis", sized(of({50, 600}, {1}), 13, 3)},
          {"the first axis", sized(of({77, 400}, {0}), 13, 3)},
          {"a prime", sized(of({10007}, {0}), 13, 3)},
          {"a prime of more passes", sized(of({10007}, {0}), 11, 3)},
          {"a prime of reals", prime_reals},
          {"no axis that is longer than 1", sized(of({5000, 1}, {1}), 12, 3)}};
}

TEST(OocOnRanks, AgreesWithTheReference) {
  if (rank_count_is_left_out()) GTEST_SKIP();
  const int ranks = all_ranks().size();
  const std::uint64_t seed = test_support::seed_of_all_ranks(61);
  SCOPED_TRACE(test_support::repeated_by(seed));
  std::set<std::size_t> passes;
  int which = 0;
  for (std::size_t k = 0; k < cases(Precision::f64).size(); ++k, ++which) {
    // The precision alternates with the case and the number of ranks. So every case is tested in
    // both precisions.
    const auto precision = (which + ranks / 2) % 2 == 0 ? Precision::f32 : Precision::f64;
    const Case c = cases(precision)[k];
    const KPassPlan plan = distribute_plan(plan_passes(c.problem), ranks);
    SCOPED_TRACE(std::string(c.name) + ", " + to_string(precision));
    passes.insert(plan.passes.size());
    expect_result(plan, ownership(which, plan.input_bytes(), ranks),
                  ownership(which + 3, plan.output_bytes(), ranks), seed,
                  {.sign = which % 3 == 0 ? 1 : -1, .scale = 0.5L});
  }
  for (const std::size_t count : {1, 2, 3, 4}) EXPECT_EQ(passes.count(count), 1u) << count;
}

/// Each pass stores its output so that the next pass reads it without messages. So k passes make k
/// - 1 exchanges, and those of input and output.
TEST(OocOnRanks, ScratchIsReadWithoutMessages) {
  const int ranks = all_ranks().size();
  for (const Case& c : cases(Precision::f64)) {
    const KPassPlan plan = distribute_plan(plan_passes(c.problem), ranks);
    const OwnershipPtr ends = owned_by_parts(0, plan.output_bytes(), ranks);
    for (std::size_t pass = 1; pass < plan.passes.size(); ++pass) {
      if (plan.passes[pass].source != model::VolumeRole::scratch) continue;
      for (const RankTraffic& sent : traffic_of(reading_side(plan, pass, ends)))
        EXPECT_EQ(sent, RankTraffic{}) << c.name;
      RankTraffic written;
      for (const RankTraffic& sent : traffic_of(writing_side(plan, pass - 1, ends)))
        written += sent;
      EXPECT_LE(written.bytes,
                std::max(plan.input_bytes(), plan.convolution_points * plan.element_bytes));
    }
  }
}

TEST(OocOnRanks, PeakMemoryIsAsPredicted) {
  if (rank_count_is_left_out()) GTEST_SKIP();
  const comm::Communicator comm = all_ranks();
  const KPassProblem problem =
      sized({.shape = {1 << 16}, .axes = {0}, .precision = Precision::f64}, 14, 4);
  const KPassPlan plan = distribute_plan(plan_passes(problem), comm.size());
  // The whole array is on the first rank's disk: as many batches as ranks.
  const OwnershipPtr input =
      owned_by_disks({.bytes = plan.input_bytes(), .block_bytes = plan.input_bytes()}, comm.size());
  Disks disks(plan, input, input, comm.rank());
  disks.put(std::vector<std::byte>(static_cast<std::size_t>(plan.input_bytes())));
  run_on_ranks(plan, comm, disks.volumes());  // a first run makes the engine's plans, which are
                                              // kept
  const std::int64_t before = memory_counters().live_bytes;
  reset_memory_peak();
  const RanksOutcome done = run_on_ranks(plan, comm, disks.volumes());
  std::int64_t allocated = 0;
  for (const KPass& pass : plan.passes) {
    const PassMemory memory = memory_of(plan, pass);
    allocated = std::max(allocated, memory.panels_bytes + memory.tile_bytes);
  }
  EXPECT_EQ(memory_counters().peak_bytes - before, allocated);
  EXPECT_EQ(memory_counters().live_bytes, before);
  EXPECT_LE(done.held_bytes, problem.memory_bytes);
}

TEST(OocOnRanks, AFailureOfOneRankIsAnErrorOnAllRanks) {
  if (rank_count_is_left_out()) GTEST_SKIP();
  const comm::Communicator comm = all_ranks();
  const KPassProblem problem =
      sized({.shape = {1 << 15}, .axes = {0}, .precision = Precision::f64}, 13, 3);
  const KPassPlan plan = distribute_plan(plan_passes(problem), comm.size());
  const OwnershipPtr input = owned_by_parts(0, plan.input_bytes(), comm.size());
  const bool unlucky = comm.rank() == comm.size() / 2;
  const auto expect_failure = [&](ErrorCode code, const char* word, auto&& spoil,
                                  const PassOptions& options = {}) {
    Disks disks(plan, input, input, comm.rank());
    disks.put(std::vector<std::byte>(static_cast<std::size_t>(plan.input_bytes())));
    if (unlucky) spoil(disks);
    expect_same_error(MPI_COMM_WORLD, code, {word},
                      [&] { run_on_ranks(plan, comm, disks.volumes(), options); });
    EXPECT_EQ(disks.under_way(), 0u);
  };
  for (const std::int64_t when : {0, 1}) {
    expect_failure(ErrorCode::io_failure, "fails on purpose",
                   [&](Disks& disks) { disks.input().fail_wait(when); });
    expect_failure(ErrorCode::io_failure, "fails on purpose",
                   [&](Disks& disks) { disks.output().fail_wait(when); });
    expect_failure(ErrorCode::io_failure, "fails on purpose",
                   [&](Disks& disks) { disks.output().fail_write(when); });
  }
  // No rank may continue with data that it has not received.
  expect_failure(
      ErrorCode::io_failure, "fails on purpose", [](Disks& disks) { disks.input().fail_wait(0); },
      {.on_panel = [](const PassProgress&) { ADD_FAILURE() << "a round after the failure"; }});
  // The last write fails.
  Disks whole(plan, input, input, comm.rank());
  whole.put(std::vector<std::byte>(static_cast<std::size_t>(plan.input_bytes())));
  run_on_ranks(plan, comm, whole.volumes());
  const std::int64_t writes = whole.output().writes().transfers;
  expect_failure(ErrorCode::io_failure, "fails on purpose",
                 [&](Disks& disks) { disks.output().fail_wait(writes - 1); });
  expect_failure(ErrorCode::unsupported, "enough", [](Disks&) {},
                 {.on_panel = [&](const PassProgress& at) {
                   if (unlucky && at.pass == 1) throw Error(ErrorCode::unsupported, "enough");
                 }});
}

TEST(OocOnRanks, ReportsItsProgress) {
  if (rank_count_is_left_out()) GTEST_SKIP();
  const comm::Communicator comm = all_ranks();
  const KPassProblem problem =
      sized({.shape = {1 << 15}, .axes = {0}, .precision = Precision::f64}, 12, 3);
  const KPassPlan plan = distribute_plan(plan_passes(problem), comm.size());
  const OwnershipPtr input = owned_by_parts(0, plan.input_bytes(), comm.size());
  Disks disks(plan, input, input, comm.rank());
  disks.put(std::vector<std::byte>(static_cast<std::size_t>(plan.input_bytes())));
  std::vector<PassProgress> told;
  run_on_ranks(plan, comm, disks.volumes(),
               {.on_panel = [&](const PassProgress& at) { told.push_back(at); }});
  std::size_t at = 0;
  for (std::size_t pass = 0; pass < plan.passes.size(); ++pass) {
    const PanelSchedule schedule(plan.passes[pass], comm.size());
    for (std::int64_t round = 1; round <= schedule.rounds(); ++round, ++at) {
      ASSERT_LT(at, told.size());
      EXPECT_EQ(told[at].pass, static_cast<std::int64_t>(pass));
      EXPECT_EQ(told[at].panels_done, std::min(schedule.panels(), round * comm.size()));
    }
  }
  EXPECT_EQ(at, told.size());
}

TEST(OocOnRanks, WrongArgumentsAreRefused) {
  const comm::Communicator comm = all_ranks();
  const KPassProblem problem =
      sized({.shape = {1 << 14}, .axes = {0}, .precision = Precision::f64}, 12, 3);
  const KPassPlan plan = distribute_plan(plan_passes(problem), comm.size());
  const KPassPlan other = distribute_plan(plan_passes(problem), comm.size() + 1);
  const OwnershipPtr input = owned_by_parts(0, plan.input_bytes(), comm.size());
  Disks disks(plan, input, input, comm.rank());
  const auto refused = [&](ErrorCode code, const std::vector<std::string>& words, auto&& call) {
    expect_same_error(MPI_COMM_WORLD, code, words, call);
  };
  refused(ErrorCode::invalid_argument, {"as many ranks", "planned for"},
          [&] { run_on_ranks(other, comm, disks.volumes()); });
  refused(ErrorCode::invalid_argument, {"sign", "0"},
          [&] { run_on_ranks(plan, comm, disks.volumes(), {.sign = 0}); });
  VolumesOnRanks without = disks.volumes();
  if (comm.rank() == comm.size() - 1) without.output.volume = nullptr;
  refused(ErrorCode::invalid_argument, {"output", "given 0"},
          [&] { run_on_ranks(plan, comm, without); });
  if (comm.size() > 1)
    refused(ErrorCode::disagreement, {"ranks differ", "sign"}, [&] {
      run_on_ranks(plan, comm, disks.volumes(), {.sign = comm.rank() == 0 ? 1 : -1});
    });
  for (const PassProgress& start :
       {PassProgress{.pass = std::ssize(plan.passes)}, PassProgress{.pass = 0, .panels_done = -1},
        PassProgress{.pass = 0, .has_journal = true}})
    refused(ErrorCode::invalid_argument, {"begins at a round", "checkpoint has kept"},
            [&] { run_on_ranks(plan, comm, disks.volumes(), {.start = start}); });
  if (comm.size() > 1)
    refused(ErrorCode::invalid_argument, {"begins at a round", "panel 1"},
            [&] { run_on_ranks(plan, comm, disks.volumes(), {.start = {.panels_done = 1}}); });
  KPassProblem more = problem;
  more.buffers = 5;
  refused(ErrorCode::invalid_argument, {"4 buffers", "given 5"},
          [&] { distribute_plan(plan_passes(more), comm.size()); });
}

}  // namespace
}  // namespace weft::ooc
