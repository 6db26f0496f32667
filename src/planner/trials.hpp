#pragma once

#include <weft/machine.hpp>
#include <weft/plan.hpp>

#include "planner/search.hpp"

namespace weft::planner {

/// Runs plans to time them. Whoever can run a plan gives it; all ranks see the same figures, so all
/// decide alike.
class Trials {
 public:
  virtual ~Trials() = default;

  /// Seconds since the trials began, by rank 0's clock. Collective.
  virtual double elapsed_s() = 0;

  /// Makes ready to run a plan in a place, 0 or 1; what was there is dropped. False where it cannot
  /// be run here: too little memory. Collective.
  virtual bool prepare(int place, const Plan& plan) = 0;

  /// Seconds of one forward transform in a place, the mean of so many: the slowest rank's.
  /// Collective.
  virtual double run(int place, int repetitions) = 0;
};

/// The plan that make_plan(problem, machine) would choose for ranks that are where they are, its local
/// FFTs planned with no more effort than half of `budget_s` allows.
/// Throws invalid_argument for a budget that is negative or not a number; as make_plan().
Plan plan_by_model(const Problem& problem, const Machine& machine, double budget_s,
                   const Freedom& freedom = {});

/// The plan that plan_by_model() would choose, or one of the next best where that is
/// faster in trials: the best so far and each challenger in turn, in the same rounds.
///
/// Time   No trial starts that is expected to end after `budget_s`, by the longest before it or, for
///        the first, by what the model says, its local FFTs to be planned included; so at most one
///        trial overruns. Local FFTs are planned with less effort than the problem's where half of
///        the time is too little for that. 0: none is made, and they are planned with `estimate`.
/// Throws invalid_argument for a budget that is negative or not a number; as make_plan().
Plan plan_by_trials(const Problem& problem, const Machine& machine, Trials& trials, double budget_s,
                    const Freedom& freedom = {});

}  // namespace weft::planner
