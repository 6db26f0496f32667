#include "model/stage_cost.hpp"

#include <algorithm>

#include "model/element_bytes.hpp"

namespace weft::model {
namespace {

/// How long a core needs for what a rank alone would do in a second: threads share a rank's work,
/// and the threads of all ranks of a node share its cores.
double share_of_core(const Problem& problem, const Machine& machine) {
  const auto threads = static_cast<double>(problem.threads);
  const double busy = threads * static_cast<double>(problem.ranks_per_node);
  return std::max(1.0, busy / static_cast<double>(machine.cores_per_node)) / threads;
}

bool halves(const Problem& problem, int axis) {
  return problem.kind == Kind::r2c && axis == problem.halved_axis();
}

/// Axes that one pass over the array can do: their plane stays in a cache. A plane of two axes is
/// taken to where the machine does not say how large its caches are.
std::size_t fused(const Stage& stage, std::size_t first, std::int64_t bytes,
                  const Machine& machine) {
  constexpr std::int64_t largest_share = 4 << 20;  // as the executor takes it
  const std::int64_t limit = std::max(
      machine.l2_bytes, std::min(largest_share, machine.l3_bytes / machine.cores_per_node));
  std::size_t count = 1;
  std::int64_t plane = bytes * stage.target.shape()[static_cast<std::size_t>(stage.axes[first])];
  for (; first + count < stage.axes.size(); ++count) {
    plane *= stage.target.shape()[static_cast<std::size_t>(stage.axes[first + count])];
    if (limit > 0 ? plane > limit : count == 2) break;
  }
  return count;
}

/// Seconds to read and write so many bytes, by one core and by all that share the memory.
double moving_seconds(double bytes, bool transposed, const Problem& problem,
                      const Machine& machine) {
  const double each =
      transposed ? machine.copying.transposed_s_per_byte : machine.copying.contiguous_s_per_byte;
  const double alone = bytes / 2 * each * share_of_core(problem, machine);
  if (machine.memory_bytes_per_s.empty()) return alone;
  const std::int64_t busy =
      std::min(machine.cores_per_node, problem.ranks_per_node * std::int64_t{problem.threads});
  const auto last = static_cast<std::int64_t>(machine.memory_bytes_per_s.size());
  const double rate =
      machine.memory_bytes_per_s[static_cast<std::size_t>(std::min(busy, last) - 1)];
  return std::max(alone, bytes * static_cast<double>(problem.ranks_per_node) / rate);
}

}  // namespace

StepCost stage_cost(const Plan& plan, std::size_t number, const Machine& machine) {
  const Problem& problem = plan.problem;
  const Stage& stage = plan.stages[number];
  StepCost step;
  step.name = "stage " + std::to_string(number);
  const std::int64_t before = stage.source.max_local_volume() * element_bytes_before(plan, number);
  const std::int64_t bytes_after = element_bytes_after(plan, number);
  const std::int64_t after = stage.target.max_local_volume() * bytes_after;
  for (std::size_t first = 0; first < stage.axes.size();) {
    const std::size_t next = first + fused(stage, first, bytes_after, machine);
    const bool transposed = stage.source.order().back() != stage.axes[first];
    const std::int64_t bytes = (first == 0 ? before : after) + after;
    step.memory_s += moving_seconds(static_cast<double>(bytes), transposed, problem, machine);
    step.bytes += bytes;
    first = next;
  }
  for (const int axis : stage.axes) {
    const bool halved = halves(problem, axis);
    const Layout& layout = halved ? stage.source : stage.target;
    const std::int64_t length = layout.shape()[static_cast<std::size_t>(axis)];
    const double lines =
        static_cast<double>(layout.max_local_volume()) / static_cast<double>(length);
    step.arithmetic_s +=
        lines * share_of_core(problem, machine) *
        line_seconds(machine, problem.precision, halved ? Kind::r2c : Kind::c2c, length);
  }
  if (step.seconds() > 0)
    step.limit = step.arithmetic_s > step.memory_s ? Limit::arithmetic : Limit::memory;
  return step;
}

}  // namespace weft::model
