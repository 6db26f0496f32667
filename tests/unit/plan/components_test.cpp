// Problems with components, their plans and costs, and problems that take the layouts of a plan.

#include <gtest/gtest.h>

#include <weft/error.hpp>
#include <weft/machine.hpp>
#include <weft/plan.hpp>

#include "model/cost.hpp"
#include "unit/support/expect_error.hpp"

namespace weft {
namespace {

using namespace test_support;

TEST(Components, EveryRankHasAllComponents) {
  const Layout one = Layout::grid({6, 2}, {1, 3}, {1, 0}, 4);
  const Layout all = one.with_components(3);
  EXPECT_EQ(all.shape(), (Shape{3, 6, 2}));
  EXPECT_EQ(all.order(), (std::vector<int>{0, 2, 1}));
  EXPECT_EQ(all.components(), 3);
  for (std::int64_t rank = 0; rank < 4; ++rank) {
    EXPECT_EQ(all.local_volume(rank), 3 * one.local_volume(rank));
    EXPECT_EQ(all.box(rank).upper[0], 3);
    if (one.local_volume(rank) > 0) {
      EXPECT_EQ(all.strides(rank)[0], one.local_volume(rank));
    }
  }
  EXPECT_EQ(all.of_one_component(), one);
  EXPECT_EQ(layout_from_json(to_json(all)), all);
  EXPECT_EQ(all.with_extent(0, 5), one.with_components(5));
  expect_error(ErrorCode::invalid_argument, {"one already"}, [&] { all.with_components(2); });
  expect_error(ErrorCode::invalid_argument, {"at most 8 axes"},
               [] { Layout::on_one(Shape(8, 2), 1).with_components(2); });
}

TEST(Components, APlanHasTheStagesOfOneComponent) {
  const Problem problem{.shape = {8, 9, 10}, .kinds = Kind::r2c, .components = 3, .ranks = 4};
  const Plan plan = make_plan(problem);
  EXPECT_EQ(plan.input().shape(), (Shape{8, 9, 10}));
  EXPECT_EQ(plan.input_array().shape(), (Shape{3, 8, 9, 10}));
  EXPECT_EQ(plan.output_array().shape(), (Shape{3, 8, 9, 6}));
  EXPECT_EQ(plan_from_json(to_json(plan)), plan);
  Problem plain = problem;
  plain.components = 0;
  const Plan one = make_plan(plain);
  EXPECT_EQ(one.stages, plan.stages);
  EXPECT_EQ(one.input_array(), one.input());
  const Machine machine = shipped_machine("ethernet-10g");
  const PlanCost of_one = model::cost(one, machine);
  const PlanCost of_three = model::cost(plan, machine);
  EXPECT_NEAR(of_three.seconds() - of_three.call_s, 3 * (of_one.seconds() - of_one.call_s), 1e-12);
  EXPECT_EQ(of_three.call_s, of_one.call_s);
  EXPECT_EQ(of_three.steps[1].bytes, 3 * of_one.steps[1].bytes);
}

TEST(Components, GivenLayoutsHaveOneComponentOrAll) {
  const Layout one = Layout::slab({6, 8}, 2, 1);
  Problem problem{.shape = {6, 8}, .components = 3, .ranks = 2, .has_input = true};
  problem.input = one;
  EXPECT_EQ(checked(problem).input, one);
  problem.input = one.with_components(3);
  EXPECT_EQ(checked(problem).input, one);
  problem.input = one.with_components(2);
  expect_error(ErrorCode::layout_mismatch, {"the 3 components"}, [&] { checked(problem); });
  problem.input = one.with_components(3).with_order({1, 2, 0});
  expect_error(ErrorCode::layout_mismatch, {"slowest axis"}, [&] { checked(problem); });
  problem.components = -1;
  expect_error(ErrorCode::invalid_argument, {"at least 1", "given -1"}, [&] { checked(problem); });
}

TEST(Like, TakesTheSidesThatAgree) {
  Problem coarse{.shape = {8, 8, 8}, .kinds = Kind::r2c, .ranks = 4};
  coarse.output_choice = OutputChoice::given;
  coarse.output = Layout::grid({8, 8, 5}, {2, 2, 1}, {2, 1, 0});
  const Plan other = make_plan(coarse);
  Problem fine{.shape = {12, 12, 12}, .kinds = Kind::r2c, .modes = {8}, .ranks = 4};
  const Problem like = with_layouts_like(fine, other);
  EXPECT_FALSE(like.has_input);
  EXPECT_EQ(like.output, coarse.output);
  EXPECT_EQ(make_plan(like).output(), other.output());
  const Problem alike = with_layouts_like(
      {.shape = {8, 8, 8}, .kinds = Kind::r2c, .precision = Precision::f32, .ranks = 4}, other);
  EXPECT_EQ(alike.input, other.input());
  EXPECT_EQ(alike.output, other.output());
  fine.modes = {7};
  expect_error(ErrorCode::layout_mismatch, {"its output is 8x8x5", "7x7x4", "leave like out"},
               [&] { with_layouts_like(fine, other); });
  fine.ranks = 3;
  expect_error(ErrorCode::layout_mismatch, {"as many ranks", "3", "4"},
               [&] { with_layouts_like(fine, other); });
}

}  // namespace
}  // namespace weft
