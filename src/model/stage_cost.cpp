#include "model/stage_cost.hpp"

#include <algorithm>

#include "model/element_bytes.hpp"
#include "model/moving.hpp"
#include "model/pass_cost.hpp"
#include "model/stage_lines.hpp"
#include "plan/end_stages.hpp"

namespace weft::model {
namespace {

/// Returns whether a stage without a transform copies its array in a forward transform. The stage
/// copies nothing if other ranks read its input in node memory, if the stage before has written its
/// output there, or if MPI moves the strided boxes.
bool copies(const Plan& plan, std::size_t number) {
  const std::size_t exchanges = plan.exchanges.size();
  if (exchanges == 0 || unfolds(plan, number) || plan.stages[number].chirps) return true;
  const Exchange& next = plan.exchanges[number == exchanges ? number - 1 : number];
  return next.wire_form != WireForm::datatype && copies_always(plan, number, {});
}

/// Adds the passes: each reads and writes the local array once.
void add_passes(StepCost& step, const Plan& plan, std::size_t number, std::int64_t working,
                const Machine& machine) {
  const Stage& stage = plan.stages[number];
  if (stage.axes.empty() && copies(plan, number)) {
    step.bytes = stage.source.max_local_volume() * element_bytes_before(plan, number) +
                 stage.target.max_local_volume() * element_bytes_after(plan, number);
    const Moved how = unfolds(plan, number) ? Moved::transposed : Moved::contiguous;
    step.memory_s =
        moving_seconds(static_cast<double>(step.bytes), how, plan.problem, working, machine);
  }
  for (const MemoryPass& pass : passes_of(plan, number, machine)) {
    step.bytes += pass.moved_bytes;
    step.memory_s += moving_seconds(pass, plan, number, working, machine);
  }
}

double lines_seconds(const Plan& plan, const Stage& stage, int axis, const Machine& machine) {
  const StageLines lines = lines_along(plan, stage, axis);
  const double times = stage.convolves ? 2 : 1;  // forward and backward
  return times * lines.count *
         line_seconds(machine, plan.problem.precision, plan.line_effort, lines.kind, lines.length);
}

/// Returns the seconds in which a stage multiplies by twiddles, chirps or a kernel.
double products_seconds(const Plan& plan, const Stage& stage, const Machine& machine) {
  const auto seconds = [&](std::int64_t elements) {
    return twiddle_seconds(machine, plan.problem.precision, plan.line_effort, elements);
  };
  const std::int64_t before = stage.source.max_local_volume();
  const std::int64_t after = stage.target.max_local_volume();
  if (stage.twiddles) return seconds(plan.convolves() ? std::max(before, after) : after);
  if (stage.convolves) return seconds(after) / 2;  // one product, and no twiddle to compute
  // A chirp is one product, but each element has its own factor, which is read from memory.
  return stage.chirps ? 2 * seconds(std::min(before, after)) : 0;
}

}  // namespace

StepCost stage_cost(const Plan& plan, std::size_t number, const Machine& machine) {
  const Problem& problem = plan.problem;
  const Stage& stage = plan.stages[number];
  const std::int64_t working = working_on_node(problem, stage.target, machine);
  StepCost step;
  step.name = "stage " + std::to_string(number);
  add_passes(step, plan, number, working, machine);
  for (const int axis : stage.axes) step.arithmetic_s += lines_seconds(plan, stage, axis, machine);
  step.arithmetic_s += products_seconds(plan, stage, machine);
  step.arithmetic_s *= time_against_one_core(problem, working, machine);
  if (step.seconds() > 0)
    step.limit = step.arithmetic_s > step.memory_s ? Limit::arithmetic : Limit::memory;
  return step;
}

}  // namespace weft::model
