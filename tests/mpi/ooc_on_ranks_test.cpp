// k-pass transforms on ranks whose disks stand in memory, against the local engine in long double.
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
#include "comm/agreement.hpp"
#include "ooc_reference.hpp"
#include "same_error.hpp"
#include "unit/volume_in_memory.hpp"

namespace weft::ooc {
namespace {

using test_support::Exact;
using test_support::expect_same_error;
using test_support::VolumeInMemory;

constexpr std::byte untouched{0xff};

comm::Communicator world() { return comm::Communicator::of(MPI_COMM_WORLD); }

template <class Real>
std::vector<std::byte> bytes_of(const Exact& array, bool real) {
  std::vector<Real> values;
  for (const auto& x : array) {
    values.push_back(static_cast<Real>(x.real()));
    if (!real) values.push_back(static_cast<Real>(x.imag()));
  }
  std::vector<std::byte> bytes(values.size() * sizeof(Real));
  std::memcpy(bytes.data(), values.data(), bytes.size());
  return bytes;
}

/// Calls visit(first byte, bytes) for all that a rank holds of an array.
template <class Visit>
void for_each_held(const Holding& holding, std::int64_t bytes, int rank, Visit&& visit) {
  for (std::int64_t at = 0; at < bytes;) {
    const HeldPart part = holding.part_at(at, bytes - at);
    if (part.rank == rank) visit(at, part.bytes);
    at += part.bytes;
  }
}

/// The volumes of one rank. What it does not hold is spoilt, and must stay as it is.
class Disks {
 public:
  Disks(const FftPasses& plan, SharedHolding input, SharedHolding output, int rank)
      : plan_(plan),
        rank_(rank),
        input_holding_(std::move(input)),
        output_holding_(std::move(output)),
        input_(plan.input_bytes()),
        output_(plan.output_bytes()) {
    fill(input_);
    fill(output_);
    for (int k = 0; k < scratch_volumes; ++k)
      if (const std::int64_t bytes = scratch_bytes(plan, rank, k))
        scratch_.at(static_cast<std::size_t>(k)) = std::make_unique<VolumeInMemory>(bytes);
  }

  VolumesOnRanks volumes() {
    return {{&input_, input_holding_},
            {&output_, output_holding_},
            {scratch_[0].get(), scratch_[1].get()}};
  }

  void put(const std::vector<std::byte>& array) {
    for_each_held(*input_holding_, std::ssize(array), rank_, [&](auto at, auto bytes) {
      std::copy_n(array.data() + at, bytes, input_.as<std::byte>() + at);
    });
    given_.assign(input_.as<std::byte>(), input_.as<std::byte>() + input_.bytes());
  }

  void expect_only_own_bytes_touched() {
    EXPECT_TRUE(std::equal(given_.begin(), given_.end(), input_.as<std::byte>()));
    EXPECT_EQ(input_.writes().runs, 0);
    std::int64_t held = 0;
    for_each_held(*input_holding_, plan_.input_bytes(), rank_,
                  [&](auto, auto bytes) { held += bytes; });
    EXPECT_EQ(input_.reads().bytes, held);
    held = 0;
    for_each_held(*output_holding_, plan_.output_bytes(), rank_,
                  [&](auto, auto bytes) { held += bytes; });
    EXPECT_EQ(output_.writes().bytes, held);
    for (int other = 0; other < plan_.ranks; ++other)
      if (other != rank_)
        for_each_held(*output_holding_, plan_.output_bytes(), other, [&](auto at, auto bytes) {
          const std::byte* first = output_.as<std::byte>() + at;
          EXPECT_EQ(std::count(first, first + bytes, untouched), bytes);
        });
    EXPECT_EQ(under_way(), 0u);
  }

  /// The output of all ranks.
  std::vector<std::byte> gathered() {
    std::vector<std::byte> mine(static_cast<std::size_t>(plan_.output_bytes()));
    for_each_held(*output_holding_, plan_.output_bytes(), rank_, [&](auto at, auto bytes) {
      std::copy_n(output_.as<std::byte>() + at, bytes, mine.data() + at);
    });
    MPI_Allreduce(MPI_IN_PLACE, mine.data(), static_cast<int>(mine.size()), MPI_BYTE, MPI_BOR,
                  MPI_COMM_WORLD);
    return mine;
  }

  std::size_t under_way() const {
    std::size_t count = input_.under_way() + output_.under_way();
    for (const auto& each : scratch_) count += each ? each->under_way() : 0;
    return count;
  }

  VolumeInMemory& input() { return input_; }
  VolumeInMemory& output() { return output_; }

 private:
  static void fill(VolumeInMemory& volume) {
    std::fill_n(volume.as<std::byte>(), volume.bytes(), untouched);
  }

  const FftPasses& plan_;
  int rank_;
  SharedHolding input_holding_;
  SharedHolding output_holding_;
  VolumeInMemory input_;
  VolumeInMemory output_;
  std::array<std::unique_ptr<VolumeInMemory>, scratch_volumes> scratch_;
  std::vector<std::byte> given_;
};

template <class Real>
double relative_error(const FftPasses& plan, const std::vector<std::byte>& output,
                      const Exact& exact, long double scale) {
  std::vector<Real> values(output.size() / sizeof(Real));
  std::memcpy(values.data(), output.data(), output.size());
  long double error = 0;
  long double norm = 0;
  for (std::size_t k = 0; k < exact.size(); ++k) {
    const auto at = static_cast<std::size_t>(
        2 * test_support::place_in_result(plan, static_cast<std::int64_t>(k)));
    const std::complex<long double> found(values[at], values[at + 1]);
    error += std::norm(found - exact[k] * scale);
    norm += std::norm(exact[k] * scale);
  }
  return static_cast<double>(std::sqrt(error / norm));
}

void expect_result(const FftPasses& plan, const SharedHolding& input, const SharedHolding& output,
                   unsigned seed, const PassesOptions& options) {
  const PassesProblem& p = plan.problem;
  const bool single = p.precision == Precision::f32;
  const Exact x = test_support::random_exact(volume(p.shape), seed, p.real_input);
  const comm::Communicator comm = world();
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
  PassesProblem problem;
};

PassesProblem sized(PassesProblem problem, int lg_memory, int lg_block) {
  problem.memory_bytes = complex_bytes(problem.precision) << lg_memory;
  problem.block_bytes = complex_bytes(problem.precision) << lg_block;
  return problem;
}

/// Of one pass to four or more.
std::vector<Case> cases(Precision precision) {
  const auto of = [&](const Shape& shape, std::vector<int> axes) {
    return PassesProblem{.shape = shape, .axes = std::move(axes), .precision = precision};
  };
  PassesProblem transposed = sized(of({1 << 14}, {0}), 12, 3);
  transposed.order = OutputOrder::transposed;
  PassesProblem reals = sized(of({2 * 15015}, {0}), 12, 3);
  reals.real_input = true;
  PassesProblem short_reals = sized(of({1 << 13}, {0}), 15, 3);
  short_reals.real_input = true;
  PassesProblem threaded = sized(of({1 << 14}, {0}), 12, 3);
  threaded.threads = 2;
  return {{"a line", sized(of({1 << 14}, {0}), 11, 4)},
          {"a short line", sized(of({1 << 13}, {0}), 10, 3)},
          {"a ragged line", sized(of({30030}, {0}), 12, 3)},
          {"a line in memory", sized(of({4099}, {0}), 16, 4)},
          {"threads", threaded},
          {"transposed", transposed},
          {"reals", reals},
          {"short reals", short_reals},
          {"a cube", sized(of({30, 25, 17}, {0, 1, 2}), 13, 3)},
          {"the last axis", sized(of({50, 600}, {1}), 13, 3)},
          {"the first axis", sized(of({77, 400}, {0}), 13, 3)},
          {"no axis that is longer than 1", sized(of({5000, 1}, {1}), 12, 3)}};
}

/// Ways in which ranks hold arrays: fewer disks than ranks, more, bands, skew, plain files.
SharedHolding holding(int which, std::int64_t bytes, int ranks) {
  constexpr std::int64_t block = 4096;
  const int disks =
      std::array{1, 2, 3 * ranks, ranks + 1, 2 * ranks}.at(static_cast<std::size_t>(which % 5));
  switch (which % 8) {
    case 5:
      return held_by_parts(0, bytes, ranks);
    case 6:
      return held_by_parts(128, bytes, ranks);
    case 7:
      return held_by_disks({.bytes = bytes,
                            .block_bytes = block,
                            .disks = 2 * ranks,
                            .processors = ranks,
                            .band_bytes = 4 * ranks * block,
                            .skew_rows = 2},
                           ranks);
    default:
      return held_by_disks({.bytes = bytes, .block_bytes = block, .disks = disks}, ranks);
  }
}

/// Other numbers of ranks show nothing new, and a small machine takes long.
bool is_left_out() { return world().size() > 5 || world().size() % 2 == 0; }

TEST(OocOnRanks, AgreesWithTheReference) {
  if (is_left_out()) GTEST_SKIP();
  const int ranks = world().size();
  std::set<std::size_t> passes;
  int which = 0;
  for (std::size_t k = 0; k < cases(Precision::f64).size(); ++k, ++which) {
    // Every case is done in both precisions, by one odd number of ranks or the next.
    const auto precision = (which + ranks / 2) % 2 == 0 ? Precision::f32 : Precision::f64;
    const Case c = cases(precision)[k];
    const unsigned seed = 61;
    const FftPasses plan = dealt_to_ranks(plan_passes(c.problem), ranks);
    SCOPED_TRACE(std::string(c.name) + ", " + to_string(precision) + ", seed " +
                 std::to_string(seed));
    passes.insert(plan.passes.size());
    expect_result(plan, holding(which, plan.input_bytes(), ranks),
                  holding(which + 3, plan.output_bytes(), ranks), seed,
                  {.sign = which % 3 == 0 ? 1 : -1, .scale = 0.5L});
  }
  for (const std::size_t count : {1, 2, 3, 4}) EXPECT_EQ(passes.count(count), 1u) << count;
}

/// What a pass reads was stored for it, so k passes make k - 1 exchanges and those of the ends.
TEST(OocOnRanks, ScratchIsReadWithoutMessages) {
  const int ranks = world().size();
  for (const Case& c : cases(Precision::f64)) {
    const FftPasses plan = dealt_to_ranks(plan_passes(c.problem), ranks);
    const SharedHolding ends = held_by_parts(0, plan.output_bytes(), ranks);
    for (std::size_t pass = 1; pass < plan.passes.size(); ++pass) {
      for (const RankTraffic& sent : traffic_of(reading_side(plan, pass, ends)))
        EXPECT_EQ(sent, RankTraffic{}) << c.name;
      RankTraffic written;
      for (const RankTraffic& sent : traffic_of(writing_side(plan, pass - 1, ends)))
        written += sent;
      EXPECT_LE(written.bytes, plan.input_bytes());
    }
  }
}

TEST(OocOnRanks, MemoryIsWhatWasCounted) {
  if (is_left_out()) GTEST_SKIP();
  const comm::Communicator comm = world();
  const PassesProblem problem =
      sized({.shape = {1 << 16}, .axes = {0}, .precision = Precision::f64}, 14, 4);
  const FftPasses plan = dealt_to_ranks(plan_passes(problem), comm.size());
  // All on the first rank's disk: as many trips as ranks.
  const SharedHolding input =
      held_by_disks({.bytes = plan.input_bytes(), .block_bytes = plan.input_bytes()}, comm.size());
  Disks disks(plan, input, input, comm.rank());
  disks.put(std::vector<std::byte>(static_cast<std::size_t>(plan.input_bytes())));
  run_on_ranks(plan, comm, disks.volumes());  // the engine's plans, which stay
  const std::int64_t before = memory_counters().live_bytes;
  reset_memory_peak();
  const RanksOutcome done = run_on_ranks(plan, comm, disks.volumes());
  std::int64_t allocated = 0;
  for (const FftPass& pass : plan.passes) {
    const PassMemory memory = memory_of(plan, pass);
    allocated = std::max(allocated, memory.panels_bytes + memory.tile_bytes);
  }
  EXPECT_EQ(memory_counters().peak_bytes - before, allocated);
  EXPECT_EQ(memory_counters().live_bytes, before);
  EXPECT_LE(done.held_bytes, problem.memory_bytes);
}

TEST(OocOnRanks, OneRanksFailureIsThatOfAll) {
  if (is_left_out()) GTEST_SKIP();
  const comm::Communicator comm = world();
  const PassesProblem problem =
      sized({.shape = {1 << 15}, .axes = {0}, .precision = Precision::f64}, 13, 3);
  const FftPasses plan = dealt_to_ranks(plan_passes(problem), comm.size());
  const SharedHolding input = held_by_parts(0, plan.input_bytes(), comm.size());
  const bool unlucky = comm.rank() == comm.size() / 2;
  const auto expect_failure = [&](ErrorCode code, const char* word, auto&& spoil,
                                  const PassesOptions& options = {}) {
    Disks disks(plan, input, input, comm.rank());
    disks.put(std::vector<std::byte>(static_cast<std::size_t>(plan.input_bytes())));
    if (unlucky) spoil(disks);
    expect_same_error(MPI_COMM_WORLD, code, {word},
                      [&] { run_on_ranks(plan, comm, disks.volumes(), options); });
    EXPECT_EQ(disks.under_way(), 0u);
  };
  for (const std::int64_t when : {0, 1}) {
    expect_failure(ErrorCode::io_failure, "told to fail",
                   [&](Disks& disks) { disks.input().fail_wait(when); });
    expect_failure(ErrorCode::io_failure, "told to fail",
                   [&](Disks& disks) { disks.output().fail_wait(when); });
    expect_failure(ErrorCode::io_failure, "told to fail",
                   [&](Disks& disks) { disks.output().fail_write(when); });
  }
  // No rank goes on with what it has not got.
  expect_failure(
      ErrorCode::io_failure, "told to fail", [](Disks& disks) { disks.input().fail_wait(0); },
      {.on_panel = [](const PassProgress&) { ADD_FAILURE() << "a round after the failure"; }});
  // The last write of all.
  Disks whole(plan, input, input, comm.rank());
  whole.put(std::vector<std::byte>(static_cast<std::size_t>(plan.input_bytes())));
  run_on_ranks(plan, comm, whole.volumes());
  const std::int64_t writes = whole.output().writes().transfers;
  expect_failure(ErrorCode::io_failure, "told to fail",
                 [&](Disks& disks) { disks.output().fail_wait(writes - 1); });
  expect_failure(ErrorCode::unsupported, "enough", [](Disks&) {},
                 {.on_panel = [&](const PassProgress& at) {
                   if (unlucky && at.pass == 1) throw Error(ErrorCode::unsupported, "enough");
                 }});
}

TEST(OocOnRanks, TellsHowFarItIs) {
  if (is_left_out()) GTEST_SKIP();
  const comm::Communicator comm = world();
  const PassesProblem problem =
      sized({.shape = {1 << 15}, .axes = {0}, .precision = Precision::f64}, 12, 3);
  const FftPasses plan = dealt_to_ranks(plan_passes(problem), comm.size());
  const SharedHolding input = held_by_parts(0, plan.input_bytes(), comm.size());
  Disks disks(plan, input, input, comm.rank());
  disks.put(std::vector<std::byte>(static_cast<std::size_t>(plan.input_bytes())));
  std::vector<PassProgress> told;
  run_on_ranks(plan, comm, disks.volumes(),
               {.on_panel = [&](const PassProgress& at) { told.push_back(at); }});
  std::size_t at = 0;
  for (std::size_t pass = 0; pass < plan.passes.size(); ++pass) {
    const Deal deal(plan.passes[pass], comm.size());
    for (std::int64_t round = 1; round <= deal.rounds(); ++round, ++at) {
      ASSERT_LT(at, told.size());
      EXPECT_EQ(told[at].pass, static_cast<std::int64_t>(pass));
      EXPECT_EQ(told[at].panels_done, std::min(deal.panels(), round * comm.size()));
    }
  }
  EXPECT_EQ(at, told.size());
}

/// What the first rank was told last; the same on all ranks.
PassProgress shared(PassProgress kept) {
  std::array<std::int64_t, 2> values = {kept.pass, kept.panels_done};
  MPI_Bcast(values.data(), 2, MPI_INT64_T, 0, MPI_COMM_WORLD);
  return {.pass = values[0], .panels_done = values[1]};
}

/// The last rank fails after every round in turn, and most of these have no checkpoint.
TEST(OocOnRanks, GoesOnFromItsLastCheckpoint) {
  if (is_left_out()) GTEST_SKIP();
  const comm::Communicator comm = world();
  const PassesProblem problem =
      sized({.shape = {1 << 12}, .axes = {0}, .precision = Precision::f64}, 9, 2);
  const FftPasses plan = dealt_to_ranks(plan_passes(problem), comm.size());
  ASSERT_GE(plan.passes.size(), 3u);
  const SharedHolding input = holding(3, plan.input_bytes(), comm.size());
  const SharedHolding output = holding(7, plan.output_bytes(), comm.size());
  const auto x = bytes_of<double>(test_support::random_exact(1 << 12, 71, false), false);
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
    const auto told = [&](const PassProgress& at) { kept = at; };
    // Every third round: others are done again.
    const Checkpoints checkpoints = {.is_due = [&] { return rounds % 3 == 0; }, .keep = told};
    const auto error = comm::error_of([&] {
      const auto fail = [&](const PassProgress&) {
        if (rounds++ == failures && comm.rank() == comm.size() - 1)
          throw Error(ErrorCode::unsupported, "enough");
      };
      run_on_ranks(plan, comm, disks.volumes(), {.on_panel = fail, .checkpoints = checkpoints});
    });
    failed = error.has_value();
    if (failed)
      run_on_ranks(
          plan, comm, disks.volumes(),
          {.checkpoints = {.is_due = [] { return true; }, .keep = told}, .start = shared(kept)});
    EXPECT_EQ(disks.gathered(), expected) << "after " << failures << " rounds";
  }
  EXPECT_GT(failures, 3 * std::ssize(plan.passes));
}

/// The first rank's clock decides for all, and the first one is told when all others were.
TEST(OocOnRanks, CheckpointsAreThoseOfAll) {
  if (is_left_out()) GTEST_SKIP();
  const comm::Communicator comm = world();
  const PassesProblem problem =
      sized({.shape = {1 << 14}, .axes = {0}, .precision = Precision::f64}, 11, 4);
  const FftPasses plan = dealt_to_ranks(plan_passes(problem), comm.size());
  const SharedHolding ends = held_by_parts(0, plan.input_bytes(), comm.size());
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
                                        EXPECT_NE(comm.rank(), 0) << "told before all others";
                                      }}});
  });
}

TEST(OocOnRanks, WhatCannotBeIsRefused) {
  const comm::Communicator comm = world();
  const PassesProblem problem =
      sized({.shape = {1 << 14}, .axes = {0}, .precision = Precision::f64}, 12, 3);
  const FftPasses plan = dealt_to_ranks(plan_passes(problem), comm.size());
  const FftPasses other = dealt_to_ranks(plan_passes(problem), comm.size() + 1);
  const SharedHolding input = held_by_parts(0, plan.input_bytes(), comm.size());
  Disks disks(plan, input, input, comm.rank());
  const auto refused = [&](ErrorCode code, const std::vector<std::string>& words, auto&& call) {
    expect_same_error(MPI_COMM_WORLD, code, words, call);
  };
  refused(ErrorCode::invalid_argument, {"as many ranks", "dealt to"},
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
  PassesProblem more = problem;
  more.buffers = 5;
  refused(ErrorCode::invalid_argument, {"4 buffers", "given 5"},
          [&] { dealt_to_ranks(plan_passes(more), comm.size()); });
}

}  // namespace
}  // namespace weft::ooc
