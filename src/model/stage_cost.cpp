#include "model/stage_cost.hpp"

#include <algorithm>

#include "base/block_limits.hpp"
#include "model/element_bytes.hpp"
#include "model/moving.hpp"
#include "model/stage_lines.hpp"
#include "plan/end_stages.hpp"

namespace weft::model {
namespace {

/// Axes that one pass over the array can do, and the plane of theirs that stays in a cache.
struct Fused {
  std::size_t count = 1;
  std::int64_t plane_bytes = 0;
};

/// As the executor fuses axes: planes stay in cache, and leave each of several threads its share. A
/// plane of two axes is taken to stay in cache where the machine does not say how large its caches
/// are.
Fused fused(const Stage& stage, std::size_t first, std::int64_t element_bytes,
            const Problem& problem, const Machine& machine) {
  constexpr std::int64_t largest_share = 4 << 20;
  const std::int64_t limit = std::max(
      machine.l2_bytes, std::min(largest_share, machine.l3_bytes / machine.cores_per_node));
  const auto extent = [&](std::size_t i) {
    return stage.target.shape()[static_cast<std::size_t>(stage.axes[i])];
  };
  Fused found{1, element_bytes * extent(first)};
  std::int64_t planes = stage.target.max_local_volume() / std::max<std::int64_t>(1, extent(first));
  bool has_rows = stage.source.order().back() == stage.axes[first];
  for (; first + found.count < stage.axes.size(); ++found.count) {
    const std::size_t next = first + found.count;
    has_rows = has_rows || stage.source.order().back() == stage.axes[next];
    planes /= std::max<std::int64_t>(1, extent(next));
    // Planes that lie across rows are taken so many at once that memory is read in long pieces.
    const std::int64_t at_once = has_rows ? 1 : least_row_bytes / element_bytes;
    const std::int64_t plane = found.plane_bytes * extent(next);
    if (limit > 0 ? plane * at_once > limit : found.count == 2) break;
    if (problem.threads > 1 && planes / at_once < fewest_blocks_a_thread * problem.threads) break;
    found.plane_bytes = plane;
  }
  return found;
}

/// Does a stage that transforms nothing copy its array, forward? A peer reads an input in node memory,
/// or the stage before has written the output there; MPI moves strided boxes itself.
bool copies(const Plan& plan, std::size_t number) {
  const std::size_t exchanges = plan.exchanges.size();
  if (exchanges == 0 || unfolds(plan, number) || plan.stages[number].chirps) return true;
  const Exchange& beside = plan.exchanges[number == exchanges ? number - 1 : number];
  return beside.wire_form != WireForm::datatype && copies_always(plan, number, {});
}

struct Bytes {
  std::int64_t before = 0;  ///< of the largest local array
  std::int64_t after = 0;
  std::int64_t element_after = 0;
};

Bytes bytes_of(const Plan& plan, std::size_t number) {
  const Stage& stage = plan.stages[number];
  const std::int64_t element = element_bytes_after(plan, number);
  return {stage.source.max_local_volume() * element_bytes_before(plan, number),
          stage.target.max_local_volume() * element, element};
}

/// Bytes from one point of an axis to the next in an array without gaps.
std::int64_t pitch_bytes(const Layout& layout, int axis, std::int64_t element_bytes) {
  const Box box = layout.box(layout.first_rank());
  std::int64_t bytes = element_bytes;
  for (auto fastest = layout.order().rbegin(); *fastest != axis; ++fastest)
    bytes *= box.extent(*fastest);
  return bytes;
}

/// Rows of the caller's arrays lie without gaps; those between stages are priced as if they began at
/// cache lines.
bool has_ragged_rows(const Plan& plan, std::size_t number, int axis) {
  constexpr std::int64_t line = 64;
  const Stage& stage = plan.stages[number];
  const auto ragged = [&](const Layout& layout, std::int64_t element_bytes) {
    return pitch_bytes(layout, axis, element_bytes) % line != 0;
  };
  if (number == 0 && ragged(stage.source, element_bytes_before(plan, number))) return true;
  return number == plan.exchanges.size() && ragged(stage.target, element_bytes_after(plan, number));
}

/// A pass reads and writes the local array once; the axes it does beyond the first move their plane
/// within the cache.
void add_passes(StepCost& step, const Plan& plan, std::size_t number, std::int64_t working,
                const Machine& machine) {
  const Problem& problem = plan.problem;
  const Stage& stage = plan.stages[number];
  const Bytes bytes = bytes_of(plan, number);
  if (stage.axes.empty() && copies(plan, number)) {
    step.bytes = bytes.before + bytes.after;
    const Moved how = unfolds(plan, number) ? Moved::transposed : Moved::contiguous;
    step.memory_s = moving_seconds(static_cast<double>(step.bytes), how, problem, working, machine);
  }
  for (std::size_t first = 0; first < stage.axes.size();) {
    const Fused together = fused(stage, first, bytes.element_after, problem, machine);
    const bool transposed = stage.source.order().back() != stage.axes[first] || stage.folds;
    const Moved across =
        has_ragged_rows(plan, number, stage.axes[first]) ? Moved::ragged : Moved::transposed;
    const std::int64_t spectrum = stage.convolves ? bytes.after : 0;
    const std::int64_t moved = (first == 0 ? bytes.before : bytes.after) + bytes.after + spectrum;
    step.bytes += moved;
    step.memory_s +=
        moving_seconds(static_cast<double>(moved), transposed ? across : Moved::contiguous, problem,
                       working, machine);
    step.memory_s += static_cast<double>(together.count - 1) *
                     moving_in_cache_seconds(2 * static_cast<double>(bytes.after), across,
                                             static_cast<double>(together.plane_bytes), problem,
                                             working, machine);
    first += together.count;
  }
}

double lines_seconds(const Plan& plan, const Stage& stage, int axis, const Machine& machine) {
  const StageLines lines = lines_along(plan, stage, axis);
  const double times = stage.convolves ? 2 : 1;  // there and back
  return times * lines.count *
         line_seconds(machine, plan.problem.precision, plan.line_effort, lines.kind, lines.length);
}

/// Of what a stage multiplies its lines or its array by.
double products_seconds(const Plan& plan, const Stage& stage, const Machine& machine) {
  const auto seconds = [&](std::int64_t elements) {
    return twiddle_seconds(machine, plan.problem.precision, plan.line_effort, elements);
  };
  const std::int64_t before = stage.source.max_local_volume();
  const std::int64_t after = stage.target.max_local_volume();
  if (stage.twiddles) return seconds(plan.convolves() ? std::max(before, after) : after);
  if (stage.convolves) return seconds(after) / 2;  // one product, and no root to be found
  // One product, but by a number for each element, which comes through memory.
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
  step.arithmetic_s *= share_of_core(problem, working, machine);
  if (step.seconds() > 0)
    step.limit = step.arithmetic_s > step.memory_s ? Limit::arithmetic : Limit::memory;
  return step;
}

}  // namespace weft::model
