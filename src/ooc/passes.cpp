#include "ooc/passes.hpp"

#include <algorithm>

#include "disk/volume.hpp"
#include "ooc/twiddles.hpp"

namespace weft::ooc {
namespace {

std::int64_t parts(std::int64_t extent, std::int64_t width) { return (extent + width - 1) / width; }

std::int64_t round_up(std::int64_t value, std::int64_t multiple) {
  return parts(value, multiple) * multiple;
}

/// Panels start at whole pages where they are long, so that transfers need not go through the
/// system's memory.
constexpr std::int64_t page_bytes = 4096;
constexpr std::int64_t long_panel_bytes = std::int64_t{1} << 20;
constexpr std::int64_t line_bytes = 64;

/// What lies one after the other on both sides is one run; what does not is a loop.
RunGrid merged(std::int64_t first, const std::array<RunGrid::Loop, 4>& nest) {
  RunGrid grid{first, nest[3].count, {}};
  std::size_t loop = grid.loops.size();
  for (std::size_t i = nest.size() - 1; i-- > 0;) {
    if (nest[i].count == 1) continue;
    if (loop == grid.loops.size() && nest[i].stride == grid.length)
      grid.length *= nest[i].count;
    else
      grid.loops[--loop] = nest[i];
  }
  return grid;
}

}  // namespace

std::int64_t FftPass::longest_line() const {
  std::int64_t longest = 1;
  for (const PanelAxis& axis : axes) longest = std::max(longest, axis.length);
  return longest;
}

std::int64_t FftPasses::array_bytes() const { return volume(problem.shape) * element_bytes; }

std::int64_t panel_count(const FftPass& pass) {
  return parts(pass.outer, pass.outer_width) * parts(pass.rest, pass.rest_width) *
         parts(pass.inner, pass.inner_width);
}

Panel panel_of(const FftPass& pass, std::int64_t index) {
  const auto part = [&index](std::int64_t extent, std::int64_t width, std::int64_t& first,
                             std::int64_t& count) {
    first = index % parts(extent, width) * width;
    count = std::min(width, extent - first);
    index /= parts(extent, width);
  };
  Panel panel;
  part(pass.inner, pass.inner_width, panel.inner, panel.inners);
  part(pass.rest, pass.rest_width, panel.rest, panel.rests);
  part(pass.outer, pass.outer_width, panel.outer, panel.outers);
  return panel;
}

std::int64_t elements(const FftPass& pass, const Panel& panel) {
  return panel.outers * pass.radix * panel.rests * panel.inners;
}

RunGrid source_runs(const FftPass& pass, const Panel& panel) {
  const std::int64_t slab = pass.radix * pass.rest * pass.inner;
  return merged(panel.outer * slab + panel.rest * pass.inner + panel.inner,
                {{{panel.outers, slab},
                  {pass.radix, pass.rest * pass.inner},
                  {panel.rests, pass.inner},
                  {panel.inners, 1}}});
}

RunGrid target_runs(const FftPass& pass, const Panel& panel) {
  const std::int64_t slab = pass.radix * pass.rest * pass.inner;
  return merged(panel.outer * slab + panel.rest * pass.radix * pass.inner + panel.inner,
                {{{panel.outers, slab},
                  {panel.rests, pass.radix * pass.inner},
                  {pass.radix, pass.inner},
                  {panel.inners, 1}}});
}

PassCounts& PassCounts::operator+=(const PassCounts& other) {
  shortest_run_bytes = panels == 0 ? other.shortest_run_bytes
                                   : std::min(shortest_run_bytes, other.shortest_run_bytes);
  panels += other.panels;
  read_bytes += other.read_bytes;
  written_bytes += other.written_bytes;
  read_runs += other.read_runs;
  written_runs += other.written_runs;
  return *this;
}

PassCounts counts_of(const FftPasses& plan, const FftPass& pass) {
  PassCounts counts;
  for (std::int64_t i = 0; i < panel_count(pass); ++i) {
    const Panel panel = panel_of(pass, i);
    const RunGrid source = source_runs(pass, panel);
    const RunGrid target = target_runs(pass, panel);
    const std::int64_t bytes = elements(pass, panel) * plan.element_bytes;
    counts += {1,
               bytes,
               bytes,
               source.runs(),
               target.runs(),
               std::min(source.length, target.length) * plan.element_bytes};
  }
  return counts;
}

PassCounts counts_of(const FftPasses& plan) {
  PassCounts counts;
  for (const FftPass& pass : plan.passes) counts += counts_of(plan, pass);
  return counts;
}

std::int64_t parallel_ios(const FftPasses& plan, std::int64_t disks) {
  return 2 * std::ssize(plan.passes) * parts(plan.array_bytes(), plan.problem.block_bytes * disks);
}

std::int64_t tile_pitch_bytes(std::int64_t length, std::int64_t element_bytes) {
  const std::int64_t rounded = round_up(length * element_bytes, line_bytes);
  return rounded / line_bytes % 2 == 0 ? rounded + line_bytes : rounded;
}

PassMemory memory_of(const FftPasses& plan, const FftPass& pass) {
  const Panel largest = panel_of(pass, 0);
  const std::int64_t bytes = elements(pass, largest) * plan.element_bytes;
  PassMemory memory;
  memory.panel_bytes = round_up(bytes, bytes < long_panel_bytes ? line_bytes : page_bytes);
  memory.panels_bytes = plan.problem.buffers * memory.panel_bytes;
  if (pass.twiddle != TwiddleBy::none)
    memory.twiddle_bytes = Twiddles::table_bytes(pass.twiddle_length);
  // And one line's twiddles.
  memory.tile_bytes = plan.problem.threads * (pass.tile_lines + 1) *
                      tile_pitch_bytes(pass.longest_line(), plan.element_bytes);
  memory.run_bytes =
      std::max(source_runs(pass, largest).runs(), target_runs(pass, largest).runs()) *
      static_cast<std::int64_t>(sizeof(disk::Run));
  return memory;
}

std::int64_t memory_bytes(const FftPasses& plan) {
  std::int64_t bytes = 0;
  for (const FftPass& pass : plan.passes) bytes = std::max(bytes, memory_of(plan, pass).total());
  return bytes;
}

}  // namespace weft::ooc
