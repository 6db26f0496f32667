// Stages that transform nothing: where explain() says that they cost a copy.
#include "plan/end_stages.hpp"

#include <gtest/gtest.h>

namespace weft {
namespace {

Problem shared_problem(Kind kind, int split_axis) {
  const Shape shape{8, 8, 8};
  Problem problem{.shape = shape, .kind = kind, .ranks = 4, .ranks_per_node = 4};
  problem.has_input = true;
  problem.input = Layout::slab(shape, 4, split_axis);
  return problem;
}

TEST(EndStages, BackwardInPlaceOfR2cIsNamed) {
  const std::string text = explain(make_plan(shared_problem(Kind::r2c, 2)));
  EXPECT_NE(text.find("costs nothing where the input comes from input.empty(), else one copy; "
                      "always one copy: forward in place, backward in place\n"),
            std::string::npos)
      << text;
}

TEST(EndStages, NothingIsNamedWhereNothingIsCopied) {
  Problem problem = shared_problem(Kind::c2c, 0);
  problem.axes = {1, 2};
  problem.input = Layout::pencil(problem.shape, 4, 1, 2);
  const std::string text = explain(make_plan(problem));
  EXPECT_NE(text.find("input.empty(), else one copy\n"), std::string::npos) << text;
}

TEST(EndStages, OneExchangeAlone) {
  Problem problem = shared_problem(Kind::c2c, 0);
  problem.output_choice = OutputChoice::given;
  problem.axes = {1, 2};
  problem.output = Layout::slab(problem.shape, 4, 1);
  const std::string text = explain(make_plan(problem));
  EXPECT_NE(text.find("costs nothing where the output comes from output.empty(), else one copy; "
                      "always one copy: forward, forward in place, backward in place\n"),
            std::string::npos)
      << text;
  problem.knobs.method = Method::collective;
  EXPECT_NE(explain(make_plan(problem)).find("; costs one copy\n"), std::string::npos);
}

TEST(EndStages, RealsAreCarriedUntilTheHalvedAxisIsWhole) {
  const Plan plan = make_plan(shared_problem(Kind::r2c, 2));
  ASSERT_EQ(plan.exchanges.size(), 2u);
  EXPECT_TRUE(carries_reals(plan, 0));
  EXPECT_FALSE(carries_reals(plan, 1));
  EXPECT_FALSE(carries_reals(make_plan(shared_problem(Kind::c2c, 2)), 0)) << "of c2c";
}

}  // namespace
}  // namespace weft
