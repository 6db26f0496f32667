// One axis treated as two: the chosen factors, the valid plans, and their cost.
#include "plan/line_view.hpp"

#include <gtest/gtest.h>

#include <functional>
#include <numeric>
#include <string>

#include "model/cost.hpp"
#include "plan/check_plan.hpp"
#include "unit/support/expect_error.hpp"

namespace weft {
namespace {

using test_support::expect_error;

Problem line(std::int64_t n, std::int64_t ranks, OutputChoice output = OutputChoice::any) {
  return checked({.shape = {n}, .ranks = ranks, .output_choice = output});
}

/// Returns whether some factors give each rank a row. For the output "same", the cuts must be
/// between rows of both lengths.
bool has_factors(std::int64_t n, std::int64_t ranks, bool same) {
  for (std::int64_t n1 = ranks; n / n1 >= ranks; ++n1)
    if (n % n1 == 0 && (!same || std::gcd(n1, n / n1) >= ranks)) return true;
  return false;
}

TEST(LineView, every_length_that_has_factors_is_divided_and_no_other) {
  int views = 0;
  int others = 0;
  for (std::int64_t n = 1; n <= 700; ++n)
    for (const std::int64_t ranks : {2, 3, 4, 5, 7, 12})
      for (const OutputChoice output : {OutputChoice::any, OutputChoice::same}) {
        const bool same = output == OutputChoice::same;
        const Plan plan = make_plan(line(n, ranks, output));
        SCOPED_TRACE(explain(plan));
        const bool is_divided = !plan.view().empty() && !plan.convolves();
        ASSERT_EQ(is_divided, has_factors(n, ranks, same));
        ASSERT_NO_THROW(check_plan(plan));
        if (!is_divided) {
          ++others;
          ASSERT_FALSE(why_no_view(plan.problem).empty());
          continue;
        }
        ++views;
        ASSERT_TRUE(why_no_view(plan.problem).empty());
        ASSERT_EQ(plan, plan_from_json(to_json(plan)));
        ASSERT_EQ(plan.input().empty_ranks(), 0);
        ASSERT_EQ(plan.output().dims(), same ? 1 : 2);
        if (same) {
          ASSERT_EQ(plan.input(), plan.output());
        }
      }
  EXPECT_GT(views, 1000);
  EXPECT_GT(others, 1000);
}

TEST(LineView, reals_have_half_of_the_rows_in_the_output) {
  for (std::int64_t n = 1; n <= 400; ++n)
    for (const std::int64_t ranks : {2, 3, 7}) {
      const Plan plan = make_plan({.shape = {n}, .kinds = Kind::r2c, .ranks = ranks});
      SCOPED_TRACE(explain(plan));
      bool found = false;
      for (std::int64_t n1 = 1; n1 <= n; ++n1)
        found = found || (n % n1 == 0 && n1 / 2 + 1 >= ranks && n1 >= ranks && n / n1 >= ranks);
      ASSERT_EQ(!plan.view().empty() && !plan.convolves(), found);
      ASSERT_NO_THROW(check_plan(plan));
      ASSERT_EQ(plan, plan_from_json(to_json(plan)));
      if (!found) continue;
      const Shape view = plan.view();
      ASSERT_EQ(volume(view), n);
      ASSERT_EQ(plan.output().shape(), (Shape{view[0] / 2 + 1, view[1]}));
      ASSERT_EQ(plan.output().empty_ranks(), 0);
    }
  Plan plan = make_plan({.shape = {144}, .kinds = Kind::r2c, .ranks = 3});
  plan.problem.kinds = Kind::c2c;
  plan.problem.element = Element::complex;
  expect_error(ErrorCode::invalid_argument, {"must go from"}, [&] { check_plan(plan); });
}

/// Returns the folded column that has element k of the natural order.
std::int64_t folded_column_of(std::int64_t k, const Shape& view) {
  const std::int64_t pair = k / view[0];
  if (2 * pair == view[1]) return view[1] - 1;  // X[n/2] of an even n2
  return 2 * pair + (k % view[0] > view[0] / 2 ? 1 : 0);
}

TEST(LineView, half_a_spectrum_in_natural_order_comes_from_whole_pairs_of_columns) {
  int views = 0;
  for (std::int64_t n = 1; n <= 400; ++n)
    for (const std::int64_t ranks : {2, 3, 7}) {
      const Plan plan = make_plan(
          {.shape = {n}, .kinds = Kind::r2c, .ranks = ranks, .output_choice = OutputChoice::same});
      SCOPED_TRACE(explain(plan));
      bool found = false;
      for (std::int64_t n1 = ranks; n1 <= n; ++n1)
        found = found || (n % n1 == 0 && n1 / 2 + 1 >= ranks && (n / n1 + 1) / 2 >= ranks);
      ASSERT_EQ(!plan.view().empty() && !plan.convolves(), found);
      ASSERT_EQ(why_no_view(plan.problem).empty(), found);
      ASSERT_NO_THROW(check_plan(plan));
      ASSERT_EQ(plan, plan_from_json(to_json(plan)));
      ASSERT_EQ(plan.output().shape(), (Shape{n / 2 + 1}));
      if (!found) continue;
      ++views;
      ASSERT_EQ(plan.output().empty_ranks(), 0);
      for (std::int64_t rank = 0; rank < ranks; ++rank) {
        const Box natural = plan.output().box(rank);
        const Box columns = plan.stages[3].source.box(rank);
        for (std::int64_t k = natural.lower[0]; k < natural.upper[0]; ++k) {
          ASSERT_GE(folded_column_of(k, plan.view()), columns.lower[1]) << k;
          ASSERT_LT(folded_column_of(k, plan.view()), columns.upper[1]) << k;
        }
      }
    }
  EXPECT_GT(views, 200);
}

TEST(LineView, half_a_spectrum_in_natural_order_is_symbolic_on_many_ranks) {
  const Plan plan = make_plan({.shape = {std::int64_t{1} << 36},
                               .kinds = Kind::r2c,
                               .ranks = 1 << 14,
                               .output_choice = OutputChoice::same});
  ASSERT_FALSE(plan.view().empty());
  EXPECT_LT(to_json(plan).size(), 4000U);
}

TEST(LineView, half_a_spectrum_has_the_layout_of_the_caller_unless_it_cuts_rows) {
  Problem problem{
      .shape = {144}, .kinds = Kind::r2c, .ranks = 3, .output_choice = OutputChoice::given};
  const auto with_cuts = [&](std::int64_t first, std::int64_t second) {
    problem.output =
        Layout::of_boxes({73}, {{{0}, {first}}, {{first}, {second}}, {{second}, {73}}});
    return make_plan(problem);
  };
  const Plan kept = with_cuts(16, 48);
  EXPECT_EQ(kept.view(), (Shape{16, 9}));  // 8 x 18 is possible too, but less balanced
  EXPECT_EQ(kept.output(), problem.output);
  EXPECT_EQ(with_cuts(18, 54).view(), (Shape{9, 16}));
  EXPECT_TRUE(with_cuts(17, 48).view().empty());
  EXPECT_TRUE(with_cuts(36, 72).view().empty());  // the last element alone
  problem.output = Layout::of_boxes({73}, {{{0}, {0}}, {{0}, {73}}, {{0}, {0}}});
  const Plan one = make_plan(problem);
  EXPECT_FALSE(one.view().empty());
  ASSERT_NO_THROW(check_plan(one));

  // The output has the same process grid if rows end at its cuts.
  problem.output_choice = OutputChoice::same;
  problem.has_input = true;
  problem.input = Layout::slab({144}, 3);
  const Plan same = make_plan(problem);
  EXPECT_EQ(same.output(), Layout::slab({73}, 3));
  EXPECT_FALSE(same.view().empty());
}

TEST(LineView, factors_are_alike_and_divided_evenly) {
  const auto view = [](std::int64_t n, std::int64_t ranks) {
    return make_plan(line(n, ranks)).view();
  };
  EXPECT_EQ(view(1 << 24, 4), (Shape{4096, 4096}));
  EXPECT_EQ(view(1 << 25, 4), (Shape{4096, 8192}));
  EXPECT_EQ(view(36, 3), (Shape{6, 6}));
  EXPECT_EQ(view(48, 4), (Shape{4, 12}));  // not 6 x 8: 4 ranks do not divide six rows
  EXPECT_EQ(view(std::int64_t{1} << 40, 1 << 20), (Shape{1 << 20, 1 << 20}));
  EXPECT_EQ(view(17 * 17 * 64, 2), (Shape{64, 289}));  // not 136 x 136: one large prime, not two
}

TEST(LineView, plans_of_many_ranks_are_grids_if_ranks_divide_the_rows) {
  const Plan plan = make_plan(line(std::int64_t{1} << 36, 1 << 14, OutputChoice::same));
  for (const Stage& stage : plan.stages) {
    EXPECT_TRUE(stage.source.is_grid());
    EXPECT_TRUE(stage.target.is_grid());
  }
  EXPECT_LT(to_json(plan).size(), 4000U);
}

TEST(LineView, layouts_of_the_caller_are_kept_if_they_cut_no_rows) {
  Problem problem{.shape = {144}, .ranks = 3, .has_input = true};
  problem.input = Layout::of_boxes({144}, {{{96}, {144}}, {{0}, {24}}, {{24}, {96}}});
  for (const OutputChoice output : {OutputChoice::any, OutputChoice::same}) {
    problem.output_choice = output;
    const Plan plan = make_plan(problem);
    EXPECT_EQ(plan.view(), (Shape{12, 12}));  // 12 and 6 x 24 fit, these are the most alike
    EXPECT_EQ(plan.input(), problem.input);
  }
  problem.output_choice = OutputChoice::given;
  problem.output = Layout::of_boxes({144}, {{{0}, {54}}, {{54}, {90}}, {{90}, {144}}});
  const Plan given = make_plan(problem);
  EXPECT_EQ(given.output(), problem.output);
  EXPECT_EQ(given.view(), (Shape{6, 24}));
  ASSERT_NO_THROW(check_plan(given));

  problem.output_choice = OutputChoice::any;
  problem.input = Layout::of_boxes({144}, {{{0}, {1}}, {{1}, {90}}, {{90}, {144}}});
  const Plan cut = make_plan(problem);
  EXPECT_TRUE(cut.view().empty());
  ASSERT_FALSE(cut.notes.empty());
  EXPECT_NE(cut.notes.back().find("cut between rows"), std::string::npos) << cut.notes.back();
}

TEST(LineView, a_note_says_why_an_axis_is_not_divided) {
  const auto note = [](Problem problem) { return make_plan(problem).notes.back(); };
  EXPECT_NE(note({.shape = {17}, .ranks = 7}).find("17 is no product"), std::string::npos);
  EXPECT_NE(note({.shape = {17}, .kinds = Kind::r2c, .ranks = 5}).find("n1/2+1"),
            std::string::npos);
  EXPECT_NE(
      note({.shape = {12}, .kinds = Kind::r2c, .ranks = 3, .output_choice = OutputChoice::same})
          .find("12 has no two factors"),
      std::string::npos);
}

TEST(LineView, explain_says_where_the_elements_are) {
  const std::string text = explain(make_plan(line(1 << 20, 4)));
  for (const char* words : {"seen as 1024x1024", "element (k1, k2) is X[k1 + 1024*k2]",
                            "times exp(sign*2*pi*i*k1*j2/n)"})
    EXPECT_NE(text.find(words), std::string::npos) << text;
}

TEST(LineView, explain_says_how_half_a_spectrum_comes_into_order) {
  const std::string text = explain(make_plan(
      {.shape = {1 << 20}, .kinds = Kind::r2c, .ranks = 4, .output_choice = OutputChoice::same}));
  for (const char* words : {"order of columns 0, n2-1, 1, n2-2, ...",
                            "put together with its mirror", "as 524289; costs one copy"})
    EXPECT_NE(text.find(words), std::string::npos) << text;
  EXPECT_NE(text.find("(in natural order)"), std::string::npos) << text;
  EXPECT_EQ(text.find("(the same as the input)"), std::string::npos) << "the output has other cuts";
}

TEST(LineView, half_spectra_that_are_not_folded_are_refused) {
  const Plan sound = make_plan(
      {.shape = {144}, .kinds = Kind::r2c, .ranks = 3, .output_choice = OutputChoice::same});
  ASSERT_EQ(sound.stages.size(), 4U);
  ASSERT_NO_THROW(check_plan(sound));
  const auto refuse = [&](const std::function<void(Plan&)>& change, const std::string& words) {
    Plan plan = sound;
    change(plan);
    expect_error(ErrorCode::invalid_argument, {words}, [&] { check_plan(plan); });
  };
  refuse([](Plan& plan) { plan.stages[2].folds = false; }, "folded");
  refuse([](Plan& plan) { plan.stages[1].folds = true; }, "folded");
  refuse(
      [](Plan& plan) {
        const Shape columns = plan.stages[3].source.shape();
        plan.stages[3].source = Layout::on_one(columns, 3, 1);
      },
      "make up its rows");
  refuse([](Plan& plan) { plan.stages[3].target = Layout::on_one({73}, 3, 1); },
         "make up its rows");
  refuse(
      [](Plan& plan) {
        plan.problem.kinds = Kind::c2c;
        plan.problem.element = Element::complex;
      },
      "in no other");
  Plan flat = make_plan({.shape = {8, 6}, .ranks = 2});
  flat.stages[0].folds = true;
  expect_error(ErrorCode::invalid_argument, {"columns to fold"}, [&] { check_plan(flat); });
}

TEST(LineView, putting_half_a_spectrum_together_is_priced) {
  const Machine machine = shipped_machine("ethernet-10g");
  for (const Method method : {Method::shared, Method::messages}) {
    Problem problem{.shape = {1 << 20},
                    .kinds = Kind::r2c,
                    .ranks = 4,
                    .ranks_per_node = 4,
                    .output_choice = OutputChoice::same};
    problem.exchange.method = method;
    const StepCost last = model::cost(make_plan(problem), machine).steps.back();
    EXPECT_GE(last.bytes, 2 * 16 * ((1 << 19) / 4));
    EXPECT_GT(last.memory_s, 0);
  }
}

TEST(LineView, plans_that_are_no_view_are_refused) {
  const Plan sound = make_plan(line(144, 3, OutputChoice::same));
  ASSERT_NO_THROW(check_plan(sound));
  const auto refuse = [&](const std::function<void(Plan&)>& change, const std::string& words) {
    Plan plan = sound;
    change(plan);
    expect_error(ErrorCode::invalid_argument, {words}, [&] { check_plan(plan); });
  };
  refuse([](Plan& plan) { plan.stages[1].twiddles = false; }, "with twiddles");
  refuse([](Plan& plan) { plan.stages[2].twiddles = true; }, "without twiddles");
  refuse([](Plan& plan) { std::swap(plan.stages[1].axes, plan.stages[2].axes); }, "must transform");
  refuse(
      [](Plan& plan) {
        plan.problem.kinds = Kind::r2c;
        plan.problem.element = Element::real;
      },
      "folded");
  refuse(
      [](Plan& plan) {
        plan.stages[3].source = plan.stages[3].source.with_order({0, 1});
      },
      "same memory");
  refuse([](Plan& plan) { plan.stages[0].target = Layout::slab({12, 12}, 3, 1); }, "same memory");
  refuse([](Plan& plan) { plan.stages[1].source = Layout::slab({12, 12}, 3, 0); }, "axis 0 whole");
  refuse([](Plan& plan) { plan.stages[2].target = Layout::slab({12, 12}, 3, 1); }, "same part");
  refuse([](Plan& plan) { plan.stages[2].target = Layout::slab({9, 16}, 3, 0); }, "must go from");
  refuse([](Plan& plan) { plan.stages[2].source = Layout::slab({12, 12}, 4, 0); }, "3 ranks");
  refuse(
      [](Plan& plan) {
        plan.stages.erase(plan.stages.begin());
        plan.exchanges.pop_back();
      },
      "three stages");
  Plan twiddled = make_plan({.shape = {8, 6}, .ranks = 2});
  twiddled.stages[0].twiddles = true;
  expect_error(ErrorCode::invalid_argument, {"seen as two"}, [&] { check_plan(twiddled); });
}

TEST(LineView, the_model_divides_long_lines_and_not_short_ones) {
  const Machine machine = shipped_machine("ethernet-10g");
  const Plan far = make_plan(line(1 << 24, 4), machine);
  EXPECT_EQ(far.view(), (Shape{4096, 4096})) << explain(far);
  EXPECT_EQ(far.chosen_by, "model");
  const Plan near = make_plan(line(16, 4), machine);
  EXPECT_TRUE(near.view().empty()) << explain(near);
}

TEST(LineView, twiddles_are_priced) {
  const Machine machine = shipped_machine("ethernet-10g");
  Plan plan = make_plan(line(1 << 20, 4));
  const double with_s = model::cost(plan, machine).steps[2].arithmetic_s;
  plan.stages[1].twiddles = false;
  const double without_s = model::cost(plan, machine).steps[2].arithmetic_s;
  const double each_s =
      model::twiddle_seconds(machine, Precision::f64, Effort::estimate, (1 << 20) / 4);
  EXPECT_GT(each_s, 0);
  EXPECT_GE(with_s - without_s, 0.999 * each_s);
}

}  // namespace
}  // namespace weft
