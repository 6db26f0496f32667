#pragma once

#include <string>
#include <vector>

#include <weft/machine.hpp>
#include <weft/plan.hpp>

namespace weft::planner {

/// A plan and what the model says of it.
struct Priced {
  Plan plan;
  PlanCost cost;
  double seconds = 0;
  std::string order = {};      ///< in which ranks run over the nodes; empty: the default one
  double default_order_s = 0;  ///< what it would take in that; 0: this is it
};

/// What was found for a problem: the best of each kind of way, fastest first, notes and all.
struct SearchResult {
  std::vector<Priced> ways;
  std::int64_t considered = 0;  ///< how many were priced
};

/// Ranks that own something before or behind any of the stages.
std::int64_t ranks_used(const Plan&);

/// The machine with its ranks where they are: in its order, or else in the default one. What is
/// planned to run at once cannot choose another.
Machine with_ranks_in_place(Machine machine);

/// What a search may choose.
struct Freedom {
  /// Local FFTs are planned with no more than this, where the problem asks for more.
  Effort most_effort = Effort::exhaustive;
  /// Outputs are arrays of weft's own, in node memory, as output.empty() gives them in Python: a last
  /// stage that transforms nothing costs nothing there, as the model has it. Elsewhere it is a copy.
  bool outputs_in_node_memory = false;
};

/// Throws as checked() does.
SearchResult search(const Problem& problem, const Machine& machine, const Freedom& freedom = {});

}  // namespace weft::planner
