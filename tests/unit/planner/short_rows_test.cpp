// Among about equally fast plans, the planner avoids plans that cut rows into short parts.
#include "planner/short_rows.hpp"

#include <gtest/gtest.h>

namespace weft::planner {
namespace {

PredictedPlan with_output(const Shape& shape, const Shape& grid, double seconds) {
  PredictedPlan made{.plan = weft::make_plan({.shape = shape, .ranks = 2}), .cost = {}};
  made.plan.stages.back().target = Layout::grid(shape, grid);
  made.seconds = seconds;
  return made;
}

/// Returns the process grid of the plan that is taken. The plan with cut rows takes 1 s.
Shape taken(const Shape& shape, double seconds_of_whole_rows) {
  const std::vector<PredictedPlan> all{with_output(shape, {1, 1, 2}, 1),
                                       with_output(shape, {2, 1, 1}, seconds_of_whole_rows)};
  return best_worth_its_rows(all, all[0]).plan.stages.back().target.process_grid();
}

TEST(ShortRows, WholeRowsAreTakenIfTheyCostLittle) {
  EXPECT_EQ(taken({43, 43, 22}, 1.015), (Shape{2, 1, 1}));
  EXPECT_EQ(taken({43, 43, 22}, 1.03), (Shape{1, 1, 2}));
}

TEST(ShortRows, LongPartsOfRowsAreAllowed) {
  EXPECT_EQ(taken({43, 43, 64}, 1.015), (Shape{1, 1, 2}));
  EXPECT_EQ(taken({43, 43, 62}, 1.015), (Shape{2, 1, 1}));
}

}  // namespace
}  // namespace weft::planner
