#include "model/pass_cost.hpp"

#include <algorithm>

#include "base/block_limits.hpp"
#include "model/element_bytes.hpp"
#include "model/moving.hpp"
#include "plan/methods/methods.hpp"

namespace weft::model {
namespace {

/// Returns the axes from `first` on that the executor transforms in one pass. Their planes stay in
/// cache, and each thread gets enough planes. If the machine does not give the sizes of its caches,
/// planes of two axes count as cached.
MemoryPass fused(const Stage& stage, std::size_t first, std::int64_t element_bytes,
                 const Problem& problem, const Machine& machine) {
  constexpr std::int64_t largest_share = 4 << 20;
  const std::int64_t limit = std::max(
      machine.l2_bytes, std::min(largest_share, machine.l3_bytes / machine.cores_per_node));
  const auto extent = [&](std::size_t i) {
    return stage.target.shape()[static_cast<std::size_t>(stage.axes[i])];
  };
  MemoryPass found{first, 1, element_bytes * extent(first)};
  std::int64_t planes = stage.target.max_local_volume() / std::max<std::int64_t>(1, extent(first));
  bool has_rows = stage.source.order().back() == stage.axes[first];
  for (; first + found.count < stage.axes.size(); ++found.count) {
    const std::size_t next = first + found.count;
    has_rows = has_rows || stage.source.order().back() == stage.axes[next];
    planes /= std::max<std::int64_t>(1, extent(next));
    // If a plane contains no rows, several adjacent planes are read together. Then memory is read
    // in long pieces.
    const std::int64_t at_once = has_rows ? 1 : least_row_bytes / element_bytes;
    const std::int64_t plane = found.plane_bytes * extent(next);
    if (limit > 0 ? plane * at_once > limit : found.count == 2) break;
    if (problem.threads > 1 && planes / at_once < fewest_blocks_a_thread * problem.threads) break;
    found.plane_bytes = plane;
  }
  return found;
}

/// Returns the bytes from one point of an axis to the next in an array without gaps.
std::int64_t pitch_bytes(const Layout& layout, int axis, std::int64_t element_bytes) {
  const Box box = layout.box(layout.first_rank());
  std::int64_t bytes = element_bytes;
  for (auto fastest = layout.order().rbegin(); *fastest != axis; ++fastest)
    bytes *= box.extent(*fastest);
  return bytes;
}

/// Returns whether rows begin in the middle of cache lines. Only the caller's arrays can have such
/// rows, because these arrays have no gaps. The model treats rows between stages as aligned.
bool has_ragged_rows(const Plan& plan, std::size_t number, int axis) {
  constexpr std::int64_t line = 64;
  const Stage& stage = plan.stages[number];
  const auto ragged = [&](const Layout& layout, std::int64_t element_bytes) {
    return pitch_bytes(layout, axis, element_bytes) % line != 0;
  };
  if (number == 0 && ragged(stage.source, element_bytes_before(plan, number))) return true;
  return number == plan.exchanges.size() && ragged(stage.target, element_bytes_after(plan, number));
}

/// The way in which a pass reads lines along one axis. Lines that are not rows may form a
/// contiguous plane that fits in cache. Then memory is read row by row, and the lines are gathered
/// in cache.
struct Reach {
  Moved in_memory = Moved::contiguous;
  Moved in_cache = Moved::contiguous;
  std::int64_t plane_bytes = 0;  ///< of a contiguous plane that contains whole lines
};

/// Returns whether a plane stays in a core's cache, with room for its result.
bool stays_in_cache(std::int64_t plane_bytes, const Machine& machine) {
  return 2 * plane_bytes <= machine.l2_bytes;
}

/// Returns whether a stage reads rows with gaps: it reads other ranks' arrays, and their rows have
/// a different pitch.
bool reads_with_gaps(const Plan& plan, std::size_t number, int axis) {
  if (number == 0 || !reads_peers(plan.exchanges[number - 1])) return false;
  const std::int64_t bytes = element_bytes_before(plan, number);
  const Stage& stage = plan.stages[number];
  return stage.axes[0] == axis && pitch_bytes(plan.stages[number - 1].target, axis, bytes) !=
                                      pitch_bytes(stage.source, axis, bytes);
}

Reach reach_of(const Plan& plan, std::size_t number, int axis, const Machine& machine) {
  const Stage& stage = plan.stages[number];
  if (stage.source.order().back() == axis && !stage.folds) return {};
  const Moved across = has_ragged_rows(plan, number, axis) ? Moved::ragged : Moved::transposed;
  const std::int64_t element_bytes = element_bytes_after(plan, number);
  const std::int64_t plane =
      pitch_bytes(stage.target, axis, element_bytes) * stage.target.shape()[axis];
  const bool is_close = knows_caches(machine) && !stage.folds &&
                        plane < stage.target.max_local_volume() * element_bytes &&
                        stays_in_cache(plane, machine) && !reads_with_gaps(plan, number, axis);
  return {is_close ? Moved::contiguous : across, across, plane};
}

/// Returns whether a pass overwrites its input. In a stage after an exchange, all passes but the
/// last do so. In the first stage, all passes but the first do so, but the last pass only if its
/// output is a single array.
bool is_in_place(const MemoryPass& pass, const Plan& plan, std::size_t number) {
  const bool is_last = pass.first + pass.count == plan.stages[number].axes.size();
  if (number > 0) return !is_last;
  const bool to_array = number == plan.exchanges.size() || reads_peers(plan.exchanges[number]);
  return pass.first > 0 && (!is_last || to_array);
}

/// Relative cost of a pass that overwrites its input. This pass loads and stores each cache line.
/// Other passes also load the cache lines of their output. Non-temporal stores are no faster.
constexpr double in_place_share = 2.0 / 3;

}  // namespace

std::vector<MemoryPass> passes_of(const Plan& plan, std::size_t number, const Machine& machine) {
  const Stage& stage = plan.stages[number];
  const std::int64_t element_after = element_bytes_after(plan, number);
  const std::int64_t after = stage.target.max_local_volume() * element_after;
  const std::int64_t before = stage.source.max_local_volume() * element_bytes_before(plan, number);
  std::vector<MemoryPass> found;
  for (std::size_t first = 0; first < stage.axes.size(); first += found.back().count) {
    found.push_back(fused(stage, first, element_after, plan.problem, machine));
    const std::int64_t spectrum = stage.convolves ? after : 0;
    found.back().moved_bytes = (first == 0 ? before : after) + after + spectrum;
    found.back().after_bytes = after;
  }
  return found;
}

double moving_seconds(const MemoryPass& pass, const Plan& plan, std::size_t number,
                      std::int64_t working, const Machine& machine) {
  const std::vector<int>& axes = plan.stages[number].axes;
  const bool in_caches = knows_caches(machine);
  const auto in_memory = [&](std::int64_t bytes, Moved how) {
    return moving_seconds(static_cast<double>(bytes), how, plan.problem, working, machine);
  };
  const auto in_cache = [&](std::int64_t bytes, Moved how, std::int64_t plane_bytes) {
    return moving_in_cache_seconds(static_cast<double>(bytes), how,
                                   static_cast<double>(plane_bytes), plan.problem, working,
                                   machine);
  };
  const Reach reach = reach_of(plan, number, axes[pass.first], machine);
  double seconds = in_memory(pass.moved_bytes, reach.in_memory);
  if (in_caches && is_in_place(pass, plan, number)) seconds *= in_place_share;
  if (reach.in_memory != reach.in_cache)
    seconds += in_cache(pass.moved_bytes, reach.in_cache, reach.plane_bytes);
  for (std::size_t i = 1; in_caches && i < pass.count; ++i) {
    const Moved how = reach_of(plan, number, axes[pass.first + i], machine).in_cache;
    const double close = in_cache(2 * pass.after_bytes, how, pass.plane_bytes);
    const double again = in_place_share * in_memory(2 * pass.after_bytes, how);
    seconds += stays_in_cache(pass.plane_bytes, machine) ? close : std::max(close, again);
  }
  return seconds;
}

}  // namespace weft::model
