#include "planner/line_effort.hpp"

#include <string>

#include "model/planning_cost.hpp"
#include "plan/readable.hpp"

namespace weft::planner {

Effort affordable_effort(const Problem& problem, double planning_s, double budget_s) {
  if (problem.effort == Effort::estimate || budget_s <= 0) return Effort::estimate;
  // Plans with other layouts have about the same lines as the plan of the fixed rule.
  const model::LineKinds lines = model::lines_of(make_plan(problem));
  for (const Effort effort : {Effort::exhaustive, Effort::measure})
    if (effort <= problem.effort &&
        model::planning_seconds(planning_s, effort, lines) <= budget_s / 2)
      return effort;
  return Effort::estimate;
}

void note_effort(Plan& plan, double planning_s, double budget_s) {
  if (plan.line_effort >= plan.problem.effort) return;
  std::string note = std::string("local FFTs are planned with ") + to_string(plan.line_effort) +
                     ", not " + to_string(plan.problem.effort) + ": ";
  if (budget_s > 0)
    note += "planning would take " +
            readable_seconds(
                model::planning_seconds(planning_s, plan.problem.effort, model::lines_of(plan))) +
            ", more than half of the budget of " + readable_seconds(budget_s);
  else
    note += "the budget is 0";
  plan.notes.push_back(std::move(note));
}

}  // namespace weft::planner
