// One long line on one rank, planned as two axes. Tests the choice of such lines, their stages and
// their predicted cost.
#include "plan/long_line.hpp"

#include <gtest/gtest.h>

#include <string>

#include <weft/machine.hpp>

#include "model/stage_lines.hpp"
#include "plan/check_plan.hpp"
#include "unit/support/expect_error.hpp"

namespace weft {
namespace {

using test_support::expect_error;

Problem line(std::int64_t n, int threads = 1) {
  return checked({.shape = {n}, .threads = threads});
}

TEST(LongLine, is_seen_as_two_axes_of_similar_length) {
  const Plan plan = make_plan(line(1 << 20));
  EXPECT_EQ(plan.view(), (Shape{1024, 1024}));
  ASSERT_EQ(plan.stages.size(), 2U);
  EXPECT_EQ(plan.stages[0].axes, std::vector<int>{0});
  EXPECT_TRUE(plan.stages[0].twiddles);
  EXPECT_EQ(plan.stages[1].axes, std::vector<int>{1});
  EXPECT_EQ(plan.input(), Layout::slab({1 << 20}, 1));
  EXPECT_EQ(plan.output(), plan.input());
  EXPECT_EQ(plan_from_json(to_json(plan)), plan);
  EXPECT_NE(explain(plan).find("seen as 1024x1024"), std::string::npos) << explain(plan);
  for (const OutputChoice output : {OutputChoice::same, OutputChoice::any}) {
    Problem problem = line(3 << 18);
    problem.output_choice = output;
    EXPECT_EQ(make_plan(problem).view(), (Shape{768, 1024}));
  }
}

TEST(LongLine, depends_on_its_bytes_and_the_threads) {
  const auto is_seen = [](const Problem& problem) { return !make_plan(problem).view().empty(); };
  EXPECT_FALSE(is_seen(line(1 << 17)));
  EXPECT_TRUE(is_seen(line(1 << 18)));
  EXPECT_FALSE(is_seen(line(1 << 13, 2)));
  EXPECT_TRUE(is_seen(line(1 << 14, 2)));
  Problem floats = line(1 << 18);
  floats.precision = Precision::f32;
  EXPECT_FALSE(is_seen(floats));
  floats.shape = {1 << 19};
  EXPECT_TRUE(is_seen(floats));
}

TEST(LongLine, stays_whole_if_real_or_in_a_batch_or_with_a_large_prime) {
  EXPECT_TRUE(make_plan(line(1000003)).view().empty());
  EXPECT_TRUE(make_plan(line(std::int64_t{1009} * 1024)).view().empty());
  Problem reals = line(1 << 20);
  reals.kinds = Kind::r2c;
  reals.element = Element::automatic;
  EXPECT_TRUE(make_plan(reals).view().empty());
  EXPECT_TRUE(make_plan(checked({.shape = {1 << 20, 2}, .axes = {0}})).view().empty());
}

TEST(LongLine, a_plan_of_other_stages_is_refused) {
  const Plan sound = make_plan(line(1 << 20));
  check_plan(sound);
  const auto refused = [](const Plan& plan) {
    expect_error(ErrorCode::invalid_argument, {"consistent"}, [&] { check_plan(plan); });
  };
  Plan plan = sound;
  plan.stages[0].twiddles = false;
  refused(plan);
  plan = sound;
  std::swap(plan.stages[0].axes, plan.stages[1].axes);
  refused(plan);
  plan = sound;
  plan.problem.kinds = Kind::r2c;
  refused(plan);
  plan = sound;
  plan.stages[0].target = plan.stages[0].target.with_order({1, 0});
  refused(plan);
}

TEST(LongLine, is_predicted_as_short_lines_in_two_passes) {
  const Machine machine = shipped_machine("ethernet-10g");
  const Plan plan = make_plan(line(1 << 20), machine);
  ASSERT_EQ(plan.stages.size(), 2U);
  for (const Stage& stage : plan.stages) {
    const model::StageLines lines = model::lines_along(plan, stage, stage.axes[0]);
    EXPECT_EQ(lines.length, 1024);
    EXPECT_EQ(lines.count, 1024);
  }
  const std::vector<StepCost>& steps = plan.prediction->cost.steps;
  ASSERT_EQ(steps.size(), 3U);
  EXPECT_GT(steps[0].memory_s, 0);
  EXPECT_GT(steps[2].memory_s, 0);
  EXPECT_EQ(steps[0].bytes, std::int64_t{2} * 16 << 20);
  EXPECT_LT(steps[1].seconds(), 0.01 * plan.prediction->cost.seconds());
}

}  // namespace
}  // namespace weft
