// Tests the number of ranks that the planner uses. With more ranks the predicted time is at most
// about 5 % longer than with fewer.
#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <string>
#include <vector>

#include <weft/machine.hpp>
#include <weft/plan.hpp>

#include "planner/search.hpp"

namespace weft {
namespace {

Problem cube_on(std::int64_t n, std::int64_t ranks, Kind kind) {
  Problem problem{.shape = {n, n, n}, .kinds = kind};
  problem.ranks = ranks;
  return checked(problem);
}

/// Some ranks can be idle. So the predicted time with more ranks is at most about 5 % longer than
/// with fewer. The machine gets more nodes if it needs them.
TEST(PlannerNumbersOfRanks, more_ranks_take_at_most_5_percent_longer) {
  constexpr double worth_more_ranks = 0.05;  // as in planner/search.cpp
  const std::vector<std::int64_t> numbers{2,  3,   8,   24,  33,  64,  65,
                                          96, 100, 127, 128, 192, 200, 256};
  struct Case {
    std::string machine;
    Shape shape;
    Kind kind;
  };
  for (const Case& each :
       {Case{"infiniband-64", {512, 512, 512}, Kind::c2c},
        Case{"infiniband-64", {96, 100, 60}, Kind::r2c}, Case{"fleet", {64, 64, 64}, Kind::r2c},
        Case{"fleet", {96, 100, 60}, Kind::c2c}, Case{"ethernet-10g", {1000, 30}, Kind::c2c},
        Case{"bgl-4096", {64, 64, 64}, Kind::r2c}, Case{"celerons", {1 << 16}, Kind::c2c}}) {
    Machine machine = shipped_machine(each.machine);
    machine.memory_bytes = 0;
    const bool may_add_nodes = machine.topology.network != Network::torus;
    double least_s = std::numeric_limits<double>::infinity();
    for (const std::int64_t ranks : numbers) {
      Problem problem{.shape = each.shape, .kinds = each.kind};
      problem.ranks = ranks;
      problem.ranks_per_node = std::min(ranks, machine.cores_per_node);
      const std::int64_t nodes = (ranks - 1) / problem.ranks_per_node + 1;
      if (may_add_nodes) machine.topology.nodes = std::max(machine.topology.nodes, nodes);
      const Plan plan = make_plan(problem, machine);
      const PlanCost& cost = plan.prediction->cost;
      const double steps_s =
          cost.seconds() - cost.call_s;  // the time of the call depends on all ranks, also on idle
                                         // ones
      EXPECT_LE(steps_s * (1 - worth_more_ranks), least_s * 1.001)
          << each.machine << ", " << ranks << " ranks: " << explain(plan);
      least_s = std::min(least_s, steps_s);
    }
  }
}

TEST(PlannerNumbersOfRanks, idle_ranks_put_no_load_on_links) {
  Machine machine = shipped_machine("fleet");
  machine.memory_bytes = 0;
  const auto seconds_on_two_ranks_of = [&](std::int64_t ranks) {
    double fastest = std::numeric_limits<double>::infinity();
    for (const Plan& plan : candidates(cube_on(64, ranks, Kind::r2c), machine))
      if (planner::ranks_used(plan) == 2)
        fastest = std::min(fastest, plan.prediction->cost.seconds());
    return fastest;
  };
  EXPECT_LT(seconds_on_two_ranks_of(2), std::numeric_limits<double>::infinity());
  // With four ranks the planner also predicts pencils, in which ranks 0 and 1 exchange too. This
  // must not change the time of plans on two ranks.
  EXPECT_DOUBLE_EQ(seconds_on_two_ranks_of(4), seconds_on_two_ranks_of(2));
}

}  // namespace
}  // namespace weft
