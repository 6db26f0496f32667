#include "model/cost.hpp"

#include <algorithm>
#include <cmath>

#include <weft/error.hpp>

#include "base/words.hpp"
#include "model/exchange_cost.hpp"
#include "model/stage_cost.hpp"

namespace weft {

template <>
struct Words<model::Limit> {
  static constexpr const char* name = "limit";
  static constexpr std::array table{
      Word{model::Limit::arithmetic, "arithmetic"}, Word{model::Limit::memory, "memory"},
      Word{model::Limit::latency, "latency"},       Word{model::Limit::bandwidth, "bandwidth"},
      Word{model::Limit::congestion, "congestion"}, Word{model::Limit::nothing, "nothing"}};
};

}  // namespace weft

namespace weft::model {
namespace {

void require_nodes(const Problem& problem, const Machine& machine) {
  const std::int64_t nodes = (problem.ranks + problem.ranks_per_node - 1) / problem.ranks_per_node;
  if (nodes > machine.topology.nodes)
    throw Error(ErrorCode::invalid_argument,
                std::to_string(problem.ranks) + " ranks, " +
                    std::to_string(problem.ranks_per_node) + " on each node, need " +
                    std::to_string(nodes) + " nodes; the machine \"" + machine.name + "\" has " +
                    std::to_string(machine.topology.nodes) +
                    "; use fewer ranks, or more on each node");
}

/// All but one of the chunks can travel while the stages beside them compute.
void hide(StepCost& exchange, const Exchange& knobs, const StepCost& before, const StepCost& after,
          bool both_sides, std::int64_t chunks) {
  if (knobs.method == Method::shared || chunks < 2) return;
  const double part = 1 - 1 / static_cast<double>(chunks);
  const double computing = before.seconds() + (both_sides ? after.seconds() : 0);
  exchange.hidden_s = part * std::min(computing, exchange.start_s + exchange.wire_s);
}

}  // namespace

const char* to_string(Limit limit) { return word_of(limit); }

double PlanCost::seconds() const {
  double sum = agreement_s;
  for (const StepCost& step : steps) sum += step.seconds();
  return sum;
}

PlanCost cost(const Plan& plan, const Machine& machine) {
  check(machine);
  require_nodes(plan.problem, machine);
  PlanCost total;
  for (std::size_t i = 0; i < plan.stages.size(); ++i) {
    total.steps.push_back(stage_cost(plan, i, machine));
    if (i + 1 < plan.stages.size()) total.steps.push_back(exchange_cost(plan, i, machine));
  }
  for (std::size_t i = 0; i + 1 < plan.stages.size(); ++i) {
    const Chunking chunking = chunking_of(plan.stages[i], plan.stages[i + 1]);
    hide(total.steps[2 * i + 1], plan.exchanges[i], total.steps[2 * i], total.steps[2 * i + 2],
         chunking.both, chunks_of(plan, i));
  }
  if (plan.problem.ranks > 1)
    total.agreement_s = machine.barrier_s * std::log2(static_cast<double>(plan.problem.ranks));
  return total;
}

}  // namespace weft::model
