// Tests groups of ranks: the ranks of a row or column exchange only among themselves. Also tests
// the rounds and steps in the text of explain.
#include "plan/exchange_groups.hpp"

#include <gtest/gtest.h>

#include <map>
#include <utility>
#include <vector>

#include <weft/plan.hpp>

namespace weft {
namespace {

TEST(ExchangeGroups, ExplainGivesTheNumberOfRoundsOrSteps) {
  Problem problem{.shape = {64, 64, 64}, .ranks = 24, .has_input = true};
  problem.input = Layout::grid(problem.shape, {4, 6, 1});
  problem.exchange = {.method = Method::messages, .schedule = Schedule::pairwise};
  const std::string pairs = explain(make_plan(problem));
  // Rows have 6 ranks and columns 4, so perfect matchings take 5 and 3 rounds.
  for (const char* words :
       {"in 5 rounds of perfect matchings; a rank", "in 3 rounds of perfect matchings; a rank"})
    EXPECT_NE(pairs.find(words), std::string::npos) << words << " in\n" << pairs;
  problem.exchange.schedule = Schedule::cyclic;
  const std::string cyclic = explain(make_plan(problem));
  for (const char* words : {"in 5 steps; a rank", "in 3 steps; a rank"})
    EXPECT_NE(cyclic.find(words), std::string::npos) << words << " in\n" << cyclic;
  // An exchange by nodes has a step for each of the 23 other ranks.
  problem.ranks_per_node = 2;
  problem.exchange = {.method = Method::messages, .schedule = Schedule::cyclic};
  problem.exchange.nodes = NodeUse::separate;
  const std::string separate = explain(make_plan(problem));
  EXPECT_NE(separate.find("in 23 steps, empty ones left out; a rank"), std::string::npos)
      << separate;
}

TEST(ExchangeGroups, EachHasTheNumberOfRanksPerGroup) {
  const Shape shape{12, 12, 12};
  for (const auto& [from, to] : std::vector<std::pair<Shape, Shape>>{{{2, 3, 1}, {2, 1, 3}},
                                                                     {{2, 3, 1}, {1, 2, 3}},
                                                                     {{2, 3, 1}, {3, 2, 1}},
                                                                     {{6, 1, 1}, {1, 6, 1}},
                                                                     {{1, 2, 2}, {2, 1, 2}}}) {
    const Layout before = Layout::grid(shape, from);
    const Layout after = Layout::grid(shape, to);
    std::map<std::int64_t, std::int64_t> ranks_of_group;
    for (std::int64_t rank = 0; rank < before.ranks(); ++rank)
      ++ranks_of_group[group_number(before, after, rank)];
    for (const auto& [group, count] : ranks_of_group)
      EXPECT_EQ(count, ranks_per_group(before, after)) << to_string(from) << " " << to_string(to);
  }
}

}  // namespace
}  // namespace weft
