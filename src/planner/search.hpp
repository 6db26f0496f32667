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

/// The plans that a search has found, with notes. The first is the chosen plan. The best plan of
/// each other kind and order of ranks follows, the fastest first. Some of these may be a little
/// faster than the chosen plan, because a small gain does not justify more ranks or another order.
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
  /// Python. Only then are plans with a further last stage tried: see with_output_as_input(). For
  /// other outputs this stage would cost a copy, which the model does not count.
  bool outputs_in_node_memory = false;
};

/// Searches for the fastest plan by the model. Throws as checked() does.
SearchResult search(const Problem& problem, const Machine& machine, const Freedom& freedom = {});

}  // namespace weft::planner
