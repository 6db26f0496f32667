#include "model/round_trip_cost.hpp"

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include <weft/error.hpp>

#include "model/element_bytes.hpp"
#include "model/exchange_cost.hpp"
#include "model/moving.hpp"
#include "model/pass_cost.hpp"
#include "model/stage_cost.hpp"
#include "model/step_times.hpp"
#include "plan/chunks.hpp"
#include "plan/line_view.hpp"
#include "plan/methods/methods.hpp"
#include "plan/round_trip_steps.hpp"

namespace weft::model {
namespace {

/// The stages of a round trip on one machine.
class TripStages {
 public:
  TripStages(const Plan& plan, const FieldTrip& trip, const RoundTripSteps& steps,
             const Machine& machine)
      : plan_(plan), trip_(trip), steps_(steps), machine_(machine) {
    for (Stage& stage : plan_.stages)
      if (!stage.axes.empty()) stage = viewed_stage(std::move(stage));
  }

  StepCost cost_at(std::size_t position) const {
    const FieldCounts& n = trip_.counts;
    StepCost step = position == steps_.turn
                        ? cost_of_turn()
                        : times(stage_cost(plan_, steps_.stages[position], machine_),
                                position < steps_.turn ? n.in : n.out);
    if (position == 0) add_arrays(step, n.stored_in - n.in);
    if (position + 1 == steps_.stages.size()) add_arrays(step, n.stored_out - n.out);
    if (step.seconds() > 0)
      step.limit = step.arithmetic_s > step.memory_s ? Limit::arithmetic : Limit::memory;
    return step;
  }

 private:
  std::size_t turn() const { return steps_.stages[steps_.turn]; }
  std::int64_t working_at(std::size_t stage) const {
    return working_on_node(plan_.problem, plan_.stages[stage].target, machine_);
  }
  double contiguous_seconds(std::int64_t bytes, std::size_t stage) const {
    return moving_seconds(static_cast<double>(bytes), Moved::contiguous, plan_.problem,
                          working_at(stage), machine_);
  }

  /// Returns the bytes of one of the caller's arrays.
  std::int64_t array_bytes() const {
    const bool in_spectrum = trip_.turn == ApplyIn::spectrum;
    const std::size_t stage = steps_.stages.front();
    const Layout& layout = in_spectrum ? plan_.stages[stage].source : plan_.stages[stage].target;
    return layout.max_local_volume() *
           (in_spectrum ? element_bytes_before(plan_, stage) : element_bytes_after(plan_, stage));
  }

  /// Adds the time of reading or writing `arrays` more of the caller's arrays. If `arrays` is
  /// negative, subtracts it.
  void add_arrays(StepCost& step, std::int64_t arrays) const {
    const std::int64_t bytes = std::abs(arrays) * array_bytes();
    const double seconds = contiguous_seconds(bytes, steps_.stages.front());
    step.bytes += arrays < 0 ? -bytes : bytes;
    step.memory_s += arrays < 0 ? -std::min(seconds, step.memory_s) : seconds;
  }

  StepCost cost_of_turn() const {
    const std::int64_t both_ways = trip_.counts.in + trip_.counts.out;
    const std::vector<MemoryPass> passes = passes_of(plan_, turn(), machine_);
    StepCost step;
    step.arithmetic_s = stage_cost(plan_, turn(), machine_).arithmetic_s;
    const bool in_spectrum = trip_.turn == ApplyIn::spectrum;
    for (std::size_t i = 0; i < passes.size(); ++i) {
      MemoryPass pass = passes[i];
      const bool at_turn = i == (in_spectrum ? passes.size() - 1 : 0);
      if (at_turn) {  // the outward half only reads, the return half only writes
        pass.moved_bytes = in_spectrum ? pass.moved_bytes - pass.after_bytes : pass.after_bytes;
        step.bytes += pass.moved_bytes;
        pass.moved_bytes *= 2;
        pass.after_bytes *= 2;
        step.memory_s += moving_seconds(pass, plan_, turn(), working_at(turn()), machine_) / 2;
      } else {
        step.bytes += pass.moved_bytes;
        step.memory_s += moving_seconds(pass, plan_, turn(), working_at(turn()), machine_);
      }
    }
    if (passes.empty()) {
      step.bytes = array_bytes();
      step.memory_s = contiguous_seconds(2 * step.bytes, turn()) / 2;
    }
    return times(std::move(step), both_ways);
  }

  Plan plan_;
  const FieldTrip& trip_;
  const RoundTripSteps& steps_;
  const Machine& machine_;
};

/// Hides parts of the exchanges behind the stages next to them, as in a transform.
void hide_chunks(const Plan& plan, const FieldTrip& trip, const RoundTripSteps& route,
                 std::vector<StepCost>& steps) {
  std::vector<double> computing;
  for (std::size_t i = 0; i < route.stages.size(); ++i) computing.push_back(steps[2 * i].seconds());
  for (std::size_t i = 0; i < route.exchanges.size(); ++i) {
    const Exchange& choices = plan.exchanges[route.exchanges[i]];
    const std::int64_t chunks = chunks_of(plan, route.exchanges[i]);
    if (reads_peers(choices) || chunks < 2) continue;
    const bool both = chunking_of(executed_stage(plan, trip.turn, route, i),
                                  executed_stage(plan, trip.turn, route, i + 1))
                          .both;
    hide(steps[2 * i + 1], choices, chunks, computing[i], both ? &computing[i + 1] : nullptr);
  }
}

}  // namespace

PlanCost cost(const Plan& plan, const FieldTrip& trip, const Machine& machine) {
  check(machine);
  if (const std::string reason = round_trip_obstacle(plan); !reason.empty())
    throw Error(ErrorCode::unsupported, "a round trip needs stages with whole lines; " + reason +
                                            "; predict forward and backward");
  const RoundTripSteps route = round_trip_steps(plan, trip.turn);
  const std::vector<std::string> names = step_names(plan, trip);
  const TripStages stages(plan, trip, route, machine);
  KnownCounts known;
  PlanCost total;
  for (std::size_t i = 0; i < route.stages.size(); ++i) {
    total.steps.push_back(stages.cost_at(i));
    if (i < route.exchanges.size())
      total.steps.push_back(times(exchange_cost(plan, route.exchanges[i], machine, known),
                                  fields_exchanged(trip, route, i)));
  }
  for (std::size_t i = 0; i < names.size(); ++i) total.steps[i].name = names[i];
  hide_chunks(plan, trip, route, total.steps);
  // All ranks agree twice: on the call, and on the errors of its functions.
  total.call_s =
      machine.call_s + 2 * machine.barrier_s * std::log2(static_cast<double>(plan.problem.ranks));
  return total;
}

}  // namespace weft::model
