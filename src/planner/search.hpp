#pragma once

#include <vector>

#include <weft/machine.hpp>
#include <weft/plan.hpp>

namespace weft::planner {

/// A plan and what the model says of it.
struct Priced {
  Plan plan;
  PlanCost cost;
  double seconds = 0;
};

/// What was found for a problem: the best of each kind of way, fastest first, notes and all.
struct Found {
  std::vector<Priced> ways;
  std::int64_t considered = 0;  ///< how many were priced
};

/// Throws as checked() does.
Found search(const Problem& problem, const Machine& machine);

}  // namespace weft::planner
