#include <cstddef>
#include <vector>

#include <weft/machine.hpp>
#include <weft/plan.hpp>

#include "model/cost.hpp"
#include "planner/decision.hpp"
#include "planner/search.hpp"

namespace weft {
namespace planner {

Plan make_plan(const Problem& problem, const Machine& machine, const Freedom& freedom) {
  return decision(search(problem, machine, freedom), 0, machine);
}

std::vector<Plan> candidates(const Problem& problem, const Machine& machine,
                             const Freedom& freedom) {
  const SearchResult found = search(problem, machine, freedom);
  std::vector<Plan> plans;
  for (std::size_t number = 0; number < found.plans.size(); ++number)
    plans.push_back(decision(found, number, machine));
  return plans;
}

}  // namespace planner

Plan make_plan(const Problem& problem, const Machine& machine) {
  return planner::make_plan(problem, machine, {});
}

std::vector<Plan> candidates(const Problem& problem, const Machine& machine) {
  return planner::candidates(problem, machine, {});
}

Prediction predict(const Plan& plan, const Machine& machine) {
  Prediction prediction{machine.name, model::cost(plan, machine), {}, 1};
  if (machine.topology.order.empty()) return prediction;
  Machine in_default = machine;
  in_default.topology.order.clear();
  prediction.order = machine.topology.order;
  prediction.default_order_s = model::cost(plan, in_default).seconds();
  return prediction;
}

}  // namespace weft
