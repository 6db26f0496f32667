#pragma once

#include <weft/plan.hpp>

namespace weft::planner {

/// The most effort that local FFTs can be planned with in half of a time, the other half being for
/// trials; at most the problem's. `planning_s` as for model::planning_seconds().
Effort affordable_effort(const Problem& problem, double planning_s, double budget_s);

/// Tells in the plan's notes where its local FFTs get less than the problem asks for, and why.
void note_effort(Plan& plan, double planning_s, double budget_s);

}  // namespace weft::planner
