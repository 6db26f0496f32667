#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <vector>

#include <weft/plan.hpp>

namespace weft::test_support {

inline void expect_whole(const Layout& layout, int axis) {
  for (std::int64_t rank = 0; rank < layout.ranks(); ++rank) {
    const Box box = layout.box(rank);
    if (!box.empty()) {
      ASSERT_EQ(box.extent(axis), layout.shape()[axis]) << "rank " << rank;
    }
  }
}

/// Expects the plan of a view (one axis treated as two). Each rank has whole rows of the view
/// before the transforms. Twiddles are applied between the transforms of the two axes.
inline void expect_is_view(const Plan& plan) {
  const Problem& problem = plan.problem;
  const Shape view = plan.view();
  ASSERT_EQ(volume(view), problem.shape[0]);
  ASSERT_GE(std::min(view[0], view[1]), problem.ranks);
  ASSERT_EQ(plan.stages.size(), problem.output_choice == OutputChoice::any ? 3U : 4U);
  expect_whole(plan.stages[1].source, 0);
  expect_whole(plan.stages[2].source, 1);
  ASSERT_EQ(plan.stages[1].axes, (std::vector<int>{0}));
  ASSERT_EQ(plan.stages[2].axes, (std::vector<int>{1}));
  for (std::size_t i = 0; i < plan.stages.size(); ++i) ASSERT_EQ(plan.stages[i].twiddles, i == 1);
  for (std::int64_t rank = 0; rank < problem.ranks; ++rank) {
    const Range mine{plan.input().box(rank).lower[0], plan.input().box(rank).upper[0]};
    const Box rows = plan.stages[0].target.box(rank);
    ASSERT_EQ(rows.volume(), mine.size());
    if (rows.empty()) continue;
    ASSERT_EQ(rows.lower, (Shape{mine.lo / view[1], 0}));
    ASSERT_EQ(rows.upper, (Shape{mine.hi / view[1], view[1]}));
  }
}

}  // namespace weft::test_support
