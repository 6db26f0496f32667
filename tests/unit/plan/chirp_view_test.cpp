// One axis as a convolution with a chirp: the cases, the valid plans, and their cost.
#include "plan/chirp_view.hpp"

#include <gtest/gtest.h>

#include <functional>
#include <string>

#include "base/smooth.hpp"
#include "model/cost.hpp"
#include "plan/check_plan.hpp"
#include "plan/fixed_rule.hpp"
#include "plan/line_view.hpp"
#include "unit/support/expect_error.hpp"
#include "unit/support/expect_view.hpp"

namespace weft {
namespace {

using test_support::expect_error;
using test_support::expect_whole;

/// Expects each rank's part of the input or output to be whole rows, or the rest of the last row.
void expect_rows(const Layout& flat, const Layout& rows) {
  const std::int64_t row = rows.shape()[1];
  for (std::int64_t rank = 0; rank < flat.ranks(); ++rank) {
    const Box box = flat.box(rank);
    const Box mine = rows.box(rank);
    ASSERT_EQ(box.empty(), mine.empty()) << "rank " << rank;
    if (box.empty()) continue;
    ASSERT_EQ(mine.lower, (Shape{box.lower[0] / row, 0}));
    ASSERT_EQ(mine.upper, (Shape{(box.upper[0] + row - 1) / row, row}));
    ASSERT_EQ(mine.lower[0] * row, box.lower[0]);
  }
}

void expect_is_convolution(const Plan& plan) {
  const Shape view = plan.view();
  const std::int64_t needed = plan.problem.shape[0] + plan.problem.output_shape()[0] - 1;
  ASSERT_TRUE(plan.convolves());
  ASSERT_GE(volume(view), needed);
  ASSERT_LT(volume(view), 4 * needed + 64 * plan.problem.ranks * plan.problem.ranks);
  ASSERT_GE(std::min(view[0], view[1]), plan.input().ranks() - plan.stages[2].source.empty_ranks());
  ASSERT_EQ(plan.stages.size(), 5U);
  expect_whole(plan.stages[1].source, 0);
  expect_whole(plan.stages[2].source, 1);
  expect_whole(plan.stages[3].source, 0);
  expect_rows(plan.input(), plan.stages[0].target);
  expect_rows(plan.output(), plan.stages[4].source);
}

TEST(ChirpView, long_lengths_with_large_primes_and_no_factors_are_convolutions) {
  int convolutions = 0;
  int others = 0;
  for (std::int64_t n = 1; n <= 500; ++n)
    for (const std::int64_t ranks : {2, 3, 5, 7})
      for (const Kind kind : {Kind::c2c, Kind::r2c})
        for (const OutputChoice output : {OutputChoice::any, OutputChoice::same}) {
          const Plan plan =
              make_plan({.shape = {n}, .kinds = kind, .ranks = ranks, .output_choice = output});
          SCOPED_TRACE(explain(plan));
          ASSERT_NO_THROW(check_plan(plan));
          if (!plan.convolves()) {
            ++others;
            // Only such lengths must be convolutions: each rank needs rows of at least as many
            // elements as there are ranks.
            const std::int64_t shorter = plan.problem.output_shape()[0];
            const bool is_long = shorter > 8 * ranks * ranks;
            ASSERT_FALSE(plan.view().empty() && has_large_prime(n) && is_long);
            continue;
          }
          ++convolutions;
          ASSERT_TRUE(has_large_prime(n));
          ASSERT_FALSE(why_no_view(plan.problem).empty());
          ASSERT_EQ(plan, plan_from_json(to_json(plan)));
          ASSERT_EQ(plan.input().empty_ranks() + plan.output().empty_ranks(), 0);
          ASSERT_EQ(plan.output().shape(), plan.problem.output_shape());
          if (kind == Kind::c2c) {
            ASSERT_EQ(plan.output(), plan.input());
          }
          expect_is_convolution(plan);
        }
  EXPECT_GT(convolutions, 1000);
  EXPECT_GT(others, 1000);
}

TEST(ChirpView, lengths_of_the_convolution_have_small_primes_and_are_alike) {
  for (const std::int64_t n : {std::int64_t{1009}, std::int64_t{1000003}, std::int64_t{2147483647},
                               std::int64_t{1000000000039}, (std::int64_t{1} << 44) - 17}) {
    const Plan plan = make_plan({.shape = {n}, .ranks = 4});
    SCOPED_TRACE(explain(plan));
    ASSERT_TRUE(plan.convolves());
    const Shape view = plan.view();
    EXPECT_LE(volume(view), (2 * n - 1) * 5 / 4);
    EXPECT_LE(std::max(view[0], view[1]), 8 * std::min(view[0], view[1]));
    for (const std::int64_t length : view)
      EXPECT_EQ(smooth_numbers(length, length).size(), 1U) << length;
  }
  const Problem too_long = checked({.shape = {(std::int64_t{1} << 56) + 81}, .ranks = 4});
  EXPECT_TRUE(chirp_stages(too_long, 4).empty());
  EXPECT_TRUE(chirp_stages(checked({.shape = {31}, .ranks = 2}), 2).empty());
  EXPECT_FALSE(chirp_stages(checked({.shape = {32}, .ranks = 2}), 2).empty());
}

TEST(ChirpView, ranks_that_do_not_work_have_no_elements) {
  const Problem problem = checked({.shape = {1009}, .kinds = Kind::r2c, .ranks = 7});
  const Plan plan = assemble(problem, chirp_stages(problem, 3));
  ASSERT_NO_THROW(check_plan(plan));
  expect_is_convolution(plan);
  for (const Stage& stage : plan.stages) {
    EXPECT_EQ(stage.source.empty_ranks(), 4);
    EXPECT_EQ(stage.target.empty_ranks(), 4);
  }
}

TEST(ChirpView, layouts_of_the_caller_are_kept_if_they_cut_no_rows) {
  Problem problem{.shape = {1009}, .ranks = 3, .has_input = true};
  problem.input = Layout::of_boxes({1009}, {{{320}, {800}}, {{800}, {1009}}, {{0}, {320}}});
  for (const OutputChoice output : {OutputChoice::any, OutputChoice::same}) {
    problem.output_choice = output;
    const Plan plan = make_plan(problem);
    SCOPED_TRACE(explain(plan));
    expect_is_convolution(plan);
    EXPECT_EQ(plan.input(), problem.input);
    EXPECT_EQ(160 % plan.view()[1], 0);
    ASSERT_NO_THROW(check_plan(plan));
    ASSERT_EQ(plan, plan_from_json(to_json(plan)));
  }
  problem.output_choice = OutputChoice::given;
  problem.output = Layout::on_one({1009}, 3, 1);
  const Plan given = make_plan(problem);
  expect_is_convolution(given);
  EXPECT_EQ(given.output(), problem.output);
  ASSERT_NO_THROW(check_plan(given));

  problem.output_choice = OutputChoice::any;
  problem.input = Layout::slab({1009}, 3);  // cuts at 336 and 672
  EXPECT_TRUE(make_plan(problem).convolves());
  problem.input = Layout::of_boxes({1009}, {{{0}, {337}}, {{337}, {674}}, {{674}, {1009}}});
  const Plan cut = make_plan(problem);
  EXPECT_FALSE(cut.convolves());
  EXPECT_NE(cut.notes.back().find("with layouts of weft's choice it would be a convolution"),
            std::string::npos)
      << cut.notes.back();
}

TEST(ChirpView, half_a_spectrum_may_have_the_layout_of_the_caller) {
  Problem problem{.shape = {1999}, .kinds = Kind::r2c, .ranks = 4, .has_input = true};
  problem.input =
      Layout::of_boxes({1999}, {{{0}, {512}}, {{512}, {1024}}, {{1024}, {1536}}, {{1536}, {1999}}});
  problem.output_choice = OutputChoice::given;
  problem.output =
      Layout::of_boxes({1000}, {{{0}, {256}}, {{256}, {512}}, {{512}, {768}}, {{768}, {1000}}});
  const Plan plan = make_plan(problem);
  expect_is_convolution(plan);
  EXPECT_EQ(256 % plan.view()[1], 0);
  EXPECT_EQ(plan, plan_from_json(to_json(plan)));
}

TEST(ChirpView, plans_that_are_no_convolution_are_refused) {
  const Plan sound = make_plan({.shape = {211}, .kinds = Kind::r2c, .ranks = 3});
  ASSERT_TRUE(sound.convolves());
  ASSERT_NO_THROW(check_plan(sound));
  const auto refuse = [&](const std::function<void(Plan&)>& change, const std::string& words) {
    Plan plan = sound;
    change(plan);
    expect_error(ErrorCode::invalid_argument, {words}, [&] { check_plan(plan); });
  };
  refuse([](Plan& plan) { plan.stages[0].chirps = false; }, "stage 0 does not");
  refuse([](Plan& plan) { plan.stages[3].twiddles = false; }, "stage 3 does not");
  refuse([](Plan& plan) { plan.stages[2].folds = true; }, "stage 2 does not");
  refuse([](Plan& plan) { plan.stages[1].convolves = true; }, "stage 1 does not");
  refuse([](Plan& plan) { plan.stages[2].axes = {0}; }, "stage 2 does not");
  refuse([](Plan& plan) { plan.stages[2].convolves = false; }, "only a convolution has a chirp");
  refuse(
      [](Plan& plan) {
        plan.stages.pop_back();
        plan.exchanges.pop_back();
      },
      "must have 5 stages");
  refuse(
      [](Plan& plan) {
        plan.problem.kinds = Kind::c2c;
        plan.problem.element = Element::complex;
      },
      "points");
  refuse([](Plan& plan) { plan.problem.shape = {199}; }, "must go from");
  refuse(
      [](Plan& plan) {
        plan.stages[2].source = plan.stages[2].target = Layout::slab({12, 12}, 3);
      },
      "at least 316 points");
  refuse([](Plan& plan) { std::swap(plan.stages[1].source, plan.stages[1].target); },
         "must go from");
  const Shape view = sound.view();
  refuse([&](Plan& plan) { plan.stages[1].target = Layout::on_one(view, 3); }, "same part");
  refuse(
      [&](Plan& plan) { plan.stages[2].source = plan.stages[2].target = Layout::slab(view, 3, 1); },
      "axis 1 whole");
  refuse([&](Plan& plan) { plan.stages[2].source = Layout::slab(view, 4); }, "3 ranks");
  refuse([](Plan& plan) { plan.stages[0].source = Layout::on_one({211}, 3); }, "whole rows");
  refuse(
      [](Plan& plan) {
        plan.stages[4].target = Layout::of_boxes({106}, {{{0}, {35}}, {{35}, {70}}, {{70}, {106}}});
      },
      "whole rows");
  Plan two_axes = make_plan({.shape = {8, 6}, .ranks = 2});
  two_axes.stages[0].convolves = true;
  expect_error(ErrorCode::invalid_argument, {"one axis"}, [&] { check_plan(two_axes); });
  Plan chirped = make_plan({.shape = {8, 6}, .ranks = 2});
  chirped.stages[0].chirps = true;
  expect_error(ErrorCode::invalid_argument, {"chirp"}, [&] { check_plan(chirped); });
}

TEST(ChirpView, explain_says_what_the_stages_do) {
  const Plan plan = make_plan({.shape = {1009}, .ranks = 4, .sign = 1});
  const std::string text = explain(plan);
  for (const char* words :
       {"times the chirp exp(+pi*i*j^2/n), as rows filled up with zeros",
        "filled up with zeros to ", "times the spectrum of the chirp's conjugate, and back",
        "transforms axis 0 back of", "of which the first rows are kept",
        "a convolution with a chirp (Bluestein) of", "1009 has no two factors"})
    EXPECT_NE(text.find(words), std::string::npos) << words << " in\n" << text;
}

TEST(ChirpView, the_model_convolves_long_primes_and_not_short_ones) {
  const Machine machine = shipped_machine("ethernet-10g");
  const Plan far = make_plan({.shape = {16777259}, .ranks = 16}, machine);
  EXPECT_TRUE(far.convolves()) << explain(far);
  bool gathers = false;
  for (const Plan& plan : candidates({.shape = {16777259}, .ranks = 16}, machine))
    gathers = gathers || plan.view().empty();
  EXPECT_TRUE(gathers);
  const Plan near = make_plan({.shape = {1009}, .ranks = 4}, machine);
  EXPECT_FALSE(near.convolves()) << explain(near);
}

/// The price has lines forward and backward, products, and passes at both ends.
TEST(ChirpView, each_stage_is_priced) {
  const Machine machine = shipped_machine("ethernet-10g");
  const Plan plan = make_plan({.shape = {1000003}, .ranks = 4});
  const PlanCost cost = model::cost(plan, machine);
  ASSERT_EQ(cost.steps.size(), 9U);
  for (std::size_t stage = 0; stage < 5; ++stage) {
    EXPECT_GT(cost.steps[2 * stage].arithmetic_s, 0) << stage;
    EXPECT_GT(cost.steps[2 * stage].memory_s, 0) << stage;
  }
  const Shape view = plan.view();
  const auto of_lines = [&](std::int64_t length) {
    return static_cast<double>(volume(view) / 4 / length) *
           model::line_seconds(machine, Precision::f64, Effort::estimate, Kind::c2c, length);
  };
  EXPECT_GE(cost.steps[2].arithmetic_s, of_lines(view[0]));
  EXPECT_GE(cost.steps[4].arithmetic_s, 2 * of_lines(view[1]));
  EXPECT_GE(cost.steps[6].arithmetic_s, of_lines(view[0]));
  EXPECT_GE(cost.steps[0].bytes, 3 * 16 * (1000003 / 4) * 2 / 3);
}

}  // namespace
}  // namespace weft
