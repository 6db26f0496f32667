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

/// Returns the machine with a fixed order of ranks: its own order, or the default order if it has
/// none. Running ranks cannot change their nodes, so a plan for immediate use cannot choose the
/// order.
Machine with_ranks_in_place(Machine machine);

/// Choices of a search.
struct Freedom {
  /// Maximum effort of local FFTs, even if the problem asks for more.
  Effort most_effort = Effort::exhaustive;
  /// True if outputs are weft's own arrays in node memory, as output.empty() returns them in
  /// Python. Then a last stage without a transform costs nothing in the model. Otherwise it costs a
  /// copy.
  bool outputs_in_node_memory = false;
};

/// Searches for the fastest plan by the model. Throws as checked() does.
SearchResult search(const Problem& problem, const Machine& machine, const Freedom& freedom = {});

}  // namespace weft::planner
