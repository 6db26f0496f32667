#include "api/choose.hpp"

#include <utility>

#include "api/identity.hpp"
#include "api/line_engines.hpp"
#include "api/mpi_trials.hpp"
#include "api/planned_by.hpp"
#include "api/wisdom.hpp"
#include "comm/agreement.hpp"
#include "plan/fixed_rule.hpp"
#include "plan/round_trip_steps.hpp"
#include "planner/line_effort.hpp"
#include "planner/trials.hpp"

namespace weft::api {
namespace {

bool has_trials(const Problem& problem, const Handle::Options& options) {
  return problem.effort != Effort::estimate && options.own_workspace &&
         options.planning.budget_s > 0;
}

Plan plan_by_fixed_rule(const Problem& problem, double budget_s) {
  Plan plan = make_plan(problem);
  constexpr double not_measured = 0;
  plan.line_effort = planner::affordable_effort(plan.problem, not_measured, budget_s);
  planner::note_effort(plan, not_measured, budget_s);
  return plan;
}

Plan plan_by_machine(const Problem& problem, const Machine& machine, const Handle::Options& options,
                     const comm::Communicator& comm) {
  const planner::Freedom freedom{.outputs_in_node_memory = options.outputs_in_node_memory};
  if (has_trials(problem, options)) {
    MpiTrials trials(comm, [&](Plan tried) {
      choose_line_engines(tried, options.engine, true, comm);
      return run_options(tried, options);
    });
    return planner::plan_by_trials(problem, machine, trials, options.planning.budget_s, freedom);
  }
  return comm::together(comm, [&] {
    return planner::plan_by_model(problem, machine, options.planning.budget_s, freedom);
  });
}

ChosenPlan newly_chosen(const Problem& given, const Handle::Options& options,
                        const comm::Communicator& comm) {
  // Errors are found before anything is measured.
  Problem problem = comm::together(comm, [&] { return checked(given); });
  // Ranks may have different numbers of threads, but they need the same plan.
  problem.threads = static_cast<int>(comm.max(std::int64_t{problem.threads}));
  PlannedBy by = planned_by(options.planning, problem.threads, options.engine, comm);
  Plan plan =
      by.machine ? plan_by_machine(problem, *by.machine, options, comm) : comm::together(comm, [&] {
        return plan_by_fixed_rule(problem, options.planning.budget_s);
      });
  if (options.needs_round_trips && !round_trip_obstacle(plan).empty())
    plan = comm::together(comm, [&] { return plan_of_whole_lines(problem); });
  if (!by.note.empty()) plan.notes.push_back(by.note);
  choose_line_engines(plan, options.engine, may_try_engines(options.planning, comm), comm);
  plan.problem.threads = given.threads;
  return {std::move(plan), std::move(by.machine)};
}

/// Searches the wisdom without the problem's requirement that every rank gets a part. Returns the
/// plan if all ranks get a part. Returns nothing if the problem does not require this.
std::optional<Plan> plan_from_wisdom_of_any_ranks(const std::string& path, Problem problem,
                                                  const MachineIdentity& machine,
                                                  const comm::Communicator& comm) {
  if (!problem.all_ranks) return {};
  problem.all_ranks = false;
  std::optional<Plan> plan = plan_from_wisdom(path, problem, machine, comm);
  return plan && plan->input().empty_ranks() == 0 ? plan : std::nullopt;
}

}  // namespace

run::Transform::Options run_options(const Plan& plan, const Handle::Options& options) {
  return {local_options(plan), options.own_workspace};
}

ChosenPlan chosen_plan(const Problem& problem, const Handle::Options& options,
                       const comm::Communicator& comm) {
  if (options.planning.wisdom.empty()) return newly_chosen(problem, options, comm);
  const Problem complete = comm::together(comm, [&] { return checked(problem); });
  const MachineIdentity machine = identity_of(comm, options.engine);
  std::optional<Plan> known = plan_from_wisdom(options.planning.wisdom, complete, machine, comm);
  if (!known)
    known = plan_from_wisdom_of_any_ranks(options.planning.wisdom, complete, machine, comm);
  if (known) {
    known->problem.threads = problem.threads;
    // A plan that was added by hand may lack engines.
    if (known->line_engines.empty())
      choose_line_engines(*known, options.engine, may_try_engines(options.planning, comm), comm);
    return {std::move(*known), options.planning.machine};
  }
  ChosenPlan chosen = newly_chosen(problem, options, comm);
  // Only plans of trials are stored. The fixed rule or a model returns the same plan again at no
  // cost.
  if (chosen.plan.chosen_by == "trials")
    add_to_wisdom(options.planning.wisdom, chosen.plan, machine, comm);
  return chosen;
}

}  // namespace weft::api
