// The planner's choice of a free output layout.
#include <gtest/gtest.h>

#include <weft/machine.hpp>
#include <weft/plan.hpp>

#include "plan/check_plan.hpp"
#include "planner/decision.hpp"

namespace weft {
namespace {

Problem decided_cube(std::int64_t n, std::int64_t ranks, Kind kind) {
  Problem problem{.shape = {n, n, n}, .kinds = kind};
  problem.ranks = ranks;
  return checked(problem);
}

TEST(PlannerOutput, a_free_output_may_have_the_layout_of_the_input) {
  const Machine machine = shipped_machine("vm-2-cores");
  const planner::Freedom arrays_of_weft{.outputs_in_node_memory = true};
  for (const Kind kind : {Kind::c2c, Kind::r2c}) {
    Problem any = decided_cube(256, 2, kind);
    any.ranks_per_node = 2;
    Problem same = any;
    same.output_choice = OutputChoice::same;
    const Plan plan = planner::make_plan(any, machine, arrays_of_weft);
    EXPECT_NO_THROW(check_plan(plan));
    EXPECT_EQ(plan.output().process_grid(), plan.input().process_grid()) << explain(plan);
    EXPECT_DOUBLE_EQ(plan.prediction->cost.seconds(),
                     make_plan(same, machine).prediction->cost.seconds());
    // For the caller's own arrays, the last stage would be a copy.
    EXPECT_EQ(make_plan(any, machine).exchanges.size(), 1U);
    any.exchange.method = Method::messages;
    EXPECT_EQ(planner::make_plan(any, machine, arrays_of_weft).exchanges.size(), 1U);
    any.exchange = {};
    any.exchange.preset = Preset::fftw;
    EXPECT_EQ(planner::make_plan(any, machine, arrays_of_weft).exchanges.size(), 1U);
  }
}

}  // namespace
}  // namespace weft
