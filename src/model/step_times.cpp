#include "model/step_times.hpp"

#include <algorithm>

#include "model/exchange_cost.hpp"

namespace weft::model {

void hide(StepCost& exchange, const Exchange& choices, std::int64_t chunks, double& before_s,
          double* after_s) {
  const double part = 1 - 1 / static_cast<double>(chunks);
  double left = part * (exchange.wire_s + (all_at_once(choices) ? exchange.start_s : 0));
  for (double* computing : {&before_s, after_s}) {
    if (computing == nullptr) continue;
    const double hidden = std::min(part * *computing, left);
    *computing -= hidden;
    left -= hidden;
    exchange.hidden_s += hidden;
  }
}

StepCost times(StepCost step, std::int64_t fields) {
  const auto factor = static_cast<double>(fields);
  for (double* part : {&step.arithmetic_s, &step.memory_s, &step.start_s, &step.wire_s,
                       &step.processor_s, &step.hidden_s})
    *part *= factor;
  step.bytes *= fields;
  step.messages *= fields;
  return step;
}

}  // namespace weft::model
