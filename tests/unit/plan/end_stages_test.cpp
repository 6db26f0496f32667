// Stages that transform nothing: the copies that explain() names, and the elements that exchanges
// move.
#include "plan/end_stages.hpp"

#include <gtest/gtest.h>

namespace weft {
namespace {

Problem shared_problem(Kind kind, int split_axis) {
  const Shape shape{8, 8, 8};
  Problem problem{.shape = shape, .kinds = kind, .ranks = 4, .ranks_per_node = 4};
  problem.has_input = true;
  problem.input = Layout::slab(shape, 4, split_axis);
  return problem;
}

/// Returns the variants in which a stage always copies, as explain() lists them.
std::string always_copied(const Plan& plan, std::size_t stage) {
  std::string variants;
  for (const Direction direction : {Direction::forward, Direction::backward})
    for (const bool in_place : {false, true})
      if (const Variant variant{direction, in_place}; copies_always(plan, stage, variant))
        variants += to_string(variant) + "; ";
  return variants;
}

TEST(EndStages, R2cThatBeginsWithAnExchangeCopiesInPlace) {
  const Plan plan = make_plan(shared_problem(Kind::r2c, 2));
  EXPECT_EQ(always_copied(plan, 0), "forward in place; backward in place; ");
}

TEST(EndStages, C2cThatBeginsWithAnExchangeCopiesNothing) {
  Problem problem = shared_problem(Kind::c2c, 0);
  problem.axes = {1, 2};
  problem.input = Layout::pencil(problem.shape, 4, 1, 2);
  EXPECT_EQ(always_copied(make_plan(problem), 0), "");
}

/// Compares the text of explain() with the variants that always copy.
TEST(EndStages, ExplainNamesTheVariantsThatAlwaysCopy) {
  Problem problem = shared_problem(Kind::c2c, 0);
  problem.output_choice = OutputChoice::given;
  problem.axes = {1, 2};
  problem.output = Layout::slab(problem.shape, 4, 1);
  const Plan plan = make_plan(problem);
  EXPECT_EQ(always_copied(plan, 1), "forward; forward in place; backward in place; ");
  EXPECT_NE(
      explain(plan).find("costs nothing if the output comes from output.empty(), otherwise one "
                         "copy; always one copy: forward, forward in place, backward in "
                         "place\n"),
      std::string::npos)
      << explain(plan);
  problem.exchange.method = Method::collective;
  const Plan collective = make_plan(problem);
  EXPECT_EQ(always_copied(collective, 1),
            "forward; forward in place; backward; backward in place; ");
  EXPECT_NE(explain(collective).find("; costs one copy\n"), std::string::npos);
}

TEST(EndStages, ExchangesMoveRealsUntilTheHalvedAxisIsWhole) {
  const Plan plan = make_plan(shared_problem(Kind::r2c, 2));
  ASSERT_EQ(plan.exchanges.size(), 2u);
  EXPECT_TRUE(carries_reals(plan, 0));
  EXPECT_FALSE(carries_reals(plan, 1));
  EXPECT_FALSE(carries_reals(make_plan(shared_problem(Kind::c2c, 2)), 0)) << "c2c has no reals";
}

}  // namespace
}  // namespace weft
