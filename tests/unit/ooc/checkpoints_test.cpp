// Transforms on disks that fail at any instant, and resume from their last checkpoint.
#include <gtest/gtest.h>

#include <utility>
#include <vector>

#include <weft/error.hpp>

#include "ooc/plan/k_pass_planner.hpp"
#include "ooc/run/pass_executor.hpp"
#include "support/random_layouts.hpp"
#include "support/seed.hpp"
#include "support/unsafe_volume.hpp"
#include "unit/support/expect_error.hpp"

namespace weft::ooc {
namespace {

using test_support::draw;
using test_support::expect_error;
using test_support::Power;
using test_support::Random;
using test_support::UnsafeVolume;

/// The volumes of a plan, which outlive the processes that use them.
struct Disks {
  explicit Disks(const KPassPlan& plan)
      : input(plan.input_bytes()), output(plan.output_bytes()), scratch(plan.scratch_bytes) {
    // The seed is fixed: the contents of all runs must be the same.
    Random random(7);
    auto* values = reinterpret_cast<float*>(input.content().data());
    for (std::size_t i = 0; i < input.content().size() / sizeof(float); ++i)
      values[i] = static_cast<float>(draw(random, -1000, 1000)) / 1000;
    if (plan.problem.in_place) output.begin_with(input.content());
  }

  std::int64_t run(const KPassPlan& plan, const PassOptions& options, std::int64_t operations) {
    Power power(operations);
    for (UnsafeVolume* volume : {&input, &output, &scratch}) volume->use(&power);
    run_passes(plan, plan.problem.in_place ? output : input, output,
               plan.scratch_bytes > 0 ? &scratch : nullptr, options);
    return power.used();
  }

  UnsafeVolume input;
  UnsafeVolume output;
  UnsafeVolume scratch;
};

KPassProblem problem_of(const Shape& shape, std::vector<int> axes, std::int64_t memory_bytes) {
  return {.shape = shape,
          .axes = std::move(axes),
          .precision = Precision::f32,
          .memory_bytes = memory_bytes,
          .block_bytes = 64,
          .preserve_inputs = true};
}

std::vector<KPassProblem> problems() {
  std::vector<KPassProblem> all = {
      problem_of({4096}, {0}, 16 << 10),      problem_of({60, 70}, {0, 1}, 24 << 10),
      problem_of({4096}, {0}, 16 << 10),      problem_of({36, 50}, {0, 1}, 16 << 10),
      problem_of({36, 50}, {0, 1}, 16 << 10), problem_of({2 * 1009}, {0}, 16 << 10)};
  all[2].real_input = true;
  all[3].real_input = true;
  all[4].real_output = true;
  // A line in natural order goes through scratch space. Arrays of several axes, and the transposed
  // order, are transformed in place. In Bluestein's algorithm, passes in scratch space are in
  // place.
  for (const std::size_t i : {0, 1, 5}) {
    all.push_back(all[i]);
    all.back().in_place = true;
  }
  all.push_back(all[6]);
  all.back().order = OutputOrder::transposed;
  all.push_back(problem_of({12, 14, 18, 5}, {0, 1, 2}, 16 << 10));
  all.back().in_place = true;
  // Filters: of complex numbers, of reals by half a spectrum, and of reals as complex numbers.
  for (const std::size_t i : {1, 3, 2, 7}) {
    all.push_back(all[i]);
    all.back().real_output = all.back().real_input;
    all.back().filter = SpectralFilter{.kind = FilterKind::inverse_laplacian};
    all.back().filter->lengths.assign(all.back().axes.size(), 2.0);
  }
  return all;
}

/// Makes the transform fail at random operations until it is complete. Returns the number of
/// failures.
int run_through_failures(const KPassPlan& plan, Disks& disks, std::int64_t operations,
                         Random& random) {
  PassProgress kept;
  PassOptions options;
  options.checkpoints = {.is_due = [&] { return draw(random, 0, 2) == 0; },
                         .keep = [&](const PassProgress& at) { kept = at; }};
  for (int failures = 0;; ++failures) {
    options.start = kept;
    try {
      disks.run(plan, options, failures < 3 ? draw(random, 0, operations) : operations * 2);
      return failures;
    } catch (const Error& error) {
      if (error.code() != ErrorCode::io_failure) throw;
      for (UnsafeVolume* volume : {&disks.output, &disks.scratch}) volume->fail(random);
    }
  }
}

TEST(Checkpoints, a_transform_that_failed_and_resumed_has_the_same_bits) {
  const std::uint64_t seed = test_support::chosen_seed(97);
  SCOPED_TRACE(test_support::repeated_by(seed));
  Random random(seed);
  int failures = 0;
  for (const KPassProblem& problem : problems()) {
    const KPassPlan plan = plan_passes(problem);
    ASSERT_GE(plan.passes.size(), 2u);
    Disks undisturbed(plan);
    const std::int64_t operations = undisturbed.run(plan, {}, INT64_MAX);
    for (int k = 0; k < 20; ++k) {
      Disks disks(plan);
      failures += run_through_failures(plan, disks, operations, random);
      ASSERT_EQ(disks.output.content(), undisturbed.output.content())
          << weft::to_string(problem.shape) << ", run " << k;
      ASSERT_EQ(disks.input.content(), undisturbed.input.content());
    }
  }
  EXPECT_GE(failures, 100);
}

TEST(Checkpoints, in_place_has_the_bits_of_another_target) {
  int in_place = 0;
  for (KPassProblem problem : problems()) {
    if (!problem.in_place) continue;
    ++in_place;
    const KPassPlan plan = plan_passes(problem);
    Disks disks(plan);
    PassOptions options;
    options.checkpoints = {.is_due = [] { return true; }, .keep = [](const PassProgress&) {}};
    disks.run(plan, options, INT64_MAX);
    problem.in_place = false;
    const KPassPlan plain = plan_passes(problem);
    Disks others(plain);
    others.run(plain, {}, INT64_MAX);
    EXPECT_EQ(disks.output.content(), others.output.content()) << weft::to_string(problem.shape);
  }
  EXPECT_EQ(in_place, 6);
}

TEST(Checkpoints, are_kept_after_each_pass_but_the_last_and_where_they_are_due) {
  const KPassPlan plan = plan_passes(problems()[0]);
  Disks disks(plan);
  std::vector<std::pair<std::int64_t, std::int64_t>> kept;
  PassOptions options;
  options.checkpoints = {
      .is_due = [] { return false; },
      .keep = [&](const PassProgress& at) { kept.emplace_back(at.pass, at.panels_done); }};
  disks.run(plan, options, INT64_MAX);
  ASSERT_EQ(kept.size(), plan.passes.size() - 1);
  for (std::size_t i = 0; i < kept.size(); ++i)
    EXPECT_EQ(kept[i], std::pair(static_cast<std::int64_t>(i), panel_count(plan.passes[i])));
  kept.clear();
  options.checkpoints.is_due = [] { return true; };
  disks.run(plan, options, INT64_MAX);
  EXPECT_GT(kept.size(), 2 * plan.passes.size());
}

TEST(Checkpoints, checkpoints_that_do_not_fit_the_plan_are_refused) {
  KPassProblem problem = problems()[0];
  KPassPlan plan = plan_passes(problem);
  Disks disks(plan);
  PassOptions options;
  options.start = {.pass = 0, .panels_done = panel_count(plan.passes[0]) + 1};
  expect_error(ErrorCode::invalid_argument, {"panel of one of its passes", "checkpoint"},
               [&] { disks.run(plan, options, INT64_MAX); });
  options.start = {.pass = std::ssize(plan.passes)};
  expect_error(ErrorCode::invalid_argument, {"panel of one of its passes"},
               [&] { disks.run(plan, options, INT64_MAX); });
  options.start = {.has_journal = true};
  expect_error(ErrorCode::invalid_argument, {"journal of a journaled pass"},
               [&] { disks.run(plan, options, INT64_MAX); });
  problem.preserve_inputs = false;
  plan = plan_passes(problem);
  options.start = {.pass = 1};
  expect_error(ErrorCode::invalid_argument, {"keep their input", "preserve_inputs"},
               [&] { disks.run(plan, options, INT64_MAX); });
}

}  // namespace
}  // namespace weft::ooc
