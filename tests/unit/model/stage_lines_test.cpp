// The lines of a stage: their number, kind and length, also of truncated and halved axes.
#include "model/stage_lines.hpp"

#include <gtest/gtest.h>

#include "weft/plan.hpp"

namespace weft::model {
namespace {

/// 8 x 12 x 10 reals, of which the lowest 5 x 7 x 6 wavenumbers are kept: 5 x 7 x 4 numbers.
Plan truncated(std::int64_t ranks) {
  return make_plan({.shape = {8, 12, 10},
                    .kinds = {Kind::c2c, Kind::c2c, Kind::r2c},
                    .modes = {5, 7, 6},
                    .ranks = ranks});
}

TEST(StageLines, AxesTransformedEarlierHaveTheirTruncatedLengths) {
  const Plan plan = truncated(1);
  ASSERT_EQ(plan.stages[0].axes, (std::vector<int>{2, 1, 0}));
  const auto found = [&](int axis) { return lines_along(plan, plan.stages[0], axis); };
  EXPECT_EQ(found(2).count, 8 * 12);
  EXPECT_EQ(found(2).length, 10);
  EXPECT_EQ(found(2).kind, Kind::r2c);
  EXPECT_EQ(found(1).count, 8 * 4);
  EXPECT_EQ(found(1).length, 12);
  EXPECT_EQ(found(0).count, 7 * 4);
  EXPECT_EQ(found(0).length, 8);
}

TEST(StageLines, NumberIsThatOfTheBusiestRank) {
  const Plan plan = truncated(3);  // slabs: axis 0, then axis 1 is divided
  ASSERT_EQ(plan.stages.size(), 2);
  EXPECT_EQ(lines_along(plan, plan.stages[0], 2).count, 3 * 12);
  EXPECT_EQ(lines_along(plan, plan.stages[0], 1).count, 3 * 4);
  EXPECT_EQ(lines_along(plan, plan.stages[1], 0).count, 3 * 4);
}

}  // namespace
}  // namespace weft::model
