#include "model/cost.hpp"

#include <cmath>
#include <utility>

#include "model/exchange_cost.hpp"
#include "model/stage_cost.hpp"
#include "model/step_times.hpp"
#include "plan/line_view.hpp"
#include "plan/methods/methods.hpp"

namespace weft::model {
namespace {

void hide_all(const Plan& plan, std::vector<StepCost>& steps) {
  std::vector<double> computing;
  for (std::size_t i = 0; i < plan.stages.size(); ++i) computing.push_back(steps[2 * i].seconds());
  for (std::size_t i = 0; i < plan.exchanges.size(); ++i) {
    const std::int64_t chunks = chunks_of(plan, i);
    if (reads_peers(plan.exchanges[i]) || chunks < 2) continue;
    const bool both = chunking_of(plan.stages[i], plan.stages[i + 1]).both;
    hide(steps[2 * i + 1], plan.exchanges[i], chunks, computing[i],
         both ? &computing[i + 1] : nullptr);
  }
}

}  // namespace

PlanCost cost(const Plan& plan, const Machine& machine) {
  check(machine);
  KnownCounts known;
  return cost(plan, machine, known);
}

PlanCost cost(const Plan& plan, const Machine& machine, KnownCounts& known) {
  PlanCost total;
  Plan executed = plan;
  for (Stage& stage : executed.stages)
    if (!stage.axes.empty()) stage = viewed_stage(std::move(stage));
  for (std::size_t i = 0; i < plan.stages.size(); ++i) {
    total.steps.push_back(stage_cost(executed, i, machine));
    if (i + 1 < plan.stages.size()) total.steps.push_back(exchange_cost(plan, i, machine, known));
  }
  hide_all(plan, total.steps);
  for (StepCost& step : total.steps) step = times(std::move(step), plan.problem.fields());
  total.call_s =
      machine.call_s + machine.barrier_s * std::log2(static_cast<double>(plan.problem.ranks));
  return total;
}

}  // namespace weft::model
