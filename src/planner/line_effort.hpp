#pragma once

#include <weft/plan.hpp>

namespace weft::planner {

/// Returns the highest effort of local FFTs for which planning fits in half of the budget; the
/// other half is for trials. The result is at most the problem's effort. `planning_s` is as for
/// model::planning_seconds().
Effort affordable_effort(const Problem& problem, double planning_s, double budget_s);

/// If the plan's local FFTs get less effort than the problem asks for, adds a note with the reason.
void note_effort(Plan& plan, double planning_s, double budget_s);

}  // namespace weft::planner
