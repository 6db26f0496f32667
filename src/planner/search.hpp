#pragma once

#include <string>
#include <vector>

#include <weft/machine.hpp>
#include <weft/plan.hpp>

namespace weft::planner {

/// A plan with its prediction.
struct PredictedPlan {
  Plan plan;
  PlanCost cost;
  double seconds = 0;
  std::string order = {};      ///< of the ranks over the nodes; empty: the default one
  double default_order_s = 0;  ///< time in the default order; 0: this is the default order
};

/// The best plan of each kind for a problem, fastest first, with notes.
struct SearchResult {
  std::vector<PredictedPlan> plans;
  std::int64_t considered = 0;  ///< number of plans with a prediction
};

/// Returns the number of ranks that own data before or after any of the stages.
std::int64_t ranks_used(const Plan&);

/// Returns the machine with its ranks where they are: in its order, or in the default one. A plan
/// for immediate use cannot choose another order.
Machine with_ranks_in_place(Machine machine);

/// Choices of a search.
struct Freedom {
  /// Maximum effort of local FFTs, if the problem asks for more.
  Effort most_effort = Effort::exhaustive;
  /// Outputs are arrays of weft's own, in node memory, as output.empty() returns them in Python.
  /// There a last stage without a transform costs nothing in the model. Otherwise it is a copy.
  bool outputs_in_node_memory = false;
};

/// Throws as checked() does.
SearchResult search(const Problem& problem, const Machine& machine, const Freedom& freedom = {});

}  // namespace weft::planner
