#include <cstddef>
#include <vector>

#include <weft/machine.hpp>
#include <weft/plan.hpp>
#include <weft/round_trip.hpp>

#include "model/cost.hpp"
#include "model/round_trip_cost.hpp"
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

namespace {

/// Returns the prediction for a machine. `cost_on` computes the cost on a machine.
template <class CostOn>
Prediction predicted(const Machine& machine, const CostOn& cost_on) {
  Prediction prediction{machine.name, cost_on(machine), {}, 1};
  if (machine.topology.order.empty()) return prediction;
  Machine in_default = machine;
  in_default.topology.order.clear();
  prediction.order = machine.topology.order;
  prediction.default_order_s = cost_on(in_default).seconds();
  return prediction;
}

}  // namespace

Prediction predict(const Plan& plan, const Machine& machine) {
  return predicted(machine, [&](const Machine& on) { return model::cost(plan, on); });
}

Prediction predict(const Plan& plan, const FieldTrip& trip, const Machine& machine) {
  return predicted(machine, [&](const Machine& on) { return model::cost(plan, trip, on); });
}

}  // namespace weft
