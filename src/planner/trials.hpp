#pragma once

#include <weft/machine.hpp>
#include <weft/plan.hpp>

#include "planner/search.hpp"

namespace weft::planner {

/// Runs plans to time them. The caller supplies the execution. All ranks get the same times, so all
/// make the same decision.
class Trials {
 public:
  virtual ~Trials() = default;

  /// Returns the seconds since the trials began, by rank 0's clock. Collective.
  virtual double elapsed_s() = 0;

  /// Prepares a plan in place 0 or 1, and drops the plan that was there. Returns false if memory is
  /// too small for the plan. Collective.
  virtual bool prepare(int place, const Plan& plan) = 0;

  /// Returns the seconds of one forward transform of the plan in a place. It is the mean of all
  /// repetitions on the slowest rank. Collective.
  virtual double run(int place, int repetitions) = 0;
};

/// Returns the plan that make_plan(problem, machine) would choose if ranks could not change their
/// nodes. Planning of its local FFTs is limited to half of `budget_s`. Throws invalid_argument for
/// a budget that is negative or not a number; otherwise as make_plan().
Plan plan_by_model(const Problem& problem, const Machine& machine, double budget_s,
                   const Freedom& freedom = {});

/// Returns the plan that plan_by_model() would choose, or a challenger that is faster in trials.
/// The challengers are the next best plans by the model, up to seven. The last challenger is the
/// best plan with persistent requests. In each round of a trial, the best plan so far and a
/// challenger run in turn.
///
/// Time   No trial starts that is expected to end after `budget_s`. The expectation is the longest
///        earlier trial, or the prediction if that is longer. The first prediction includes the
///        planning of local FFTs. So at most one trial ends after the budget. If half of the budget
///        is too little for the problem's effort, local FFTs get less effort. With a budget of 0
///        there is no trial, and local FFTs are planned with `estimate`. Throws invalid_argument
///        for a budget that is negative or not a number; otherwise as make_plan().
Plan plan_by_trials(const Problem& problem, const Machine& machine, Trials& trials, double budget_s,
                    const Freedom& freedom = {});

}  // namespace weft::planner
