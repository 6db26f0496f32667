#include "ooc/passes.hpp"

#include <algorithm>
#include <limits>

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

/// Columns that are not in a panel as the mirror of another one.
std::int64_t leading_columns(const FftPass& pass) {
  return pass.unpacks_reals ? pass.inner / 2 + 1 : pass.inner;
}

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

std::int64_t FftPasses::input_bytes() const {
  return volume(problem.shape) * element_bytes / (problem.real_input ? 2 : 1);
}

std::int64_t FftPasses::output_bytes() const {
  return input_bytes() + (problem.real_input ? element_bytes : 0);
}

std::int64_t panel_count(const FftPass& pass) {
  return parts(pass.outer, pass.outer_width) * parts(pass.rest, pass.rest_width) *
         parts(leading_columns(pass), pass.inner_width);
}

Panel panel_of(const FftPass& pass, std::int64_t index) {
  const auto part = [&index](std::int64_t extent, std::int64_t width, std::int64_t& first,
                             std::int64_t& count) {
    first = index % parts(extent, width) * width;
    count = std::min(width, extent - first);
    index /= parts(extent, width);
  };
  Panel panel;
  part(leading_columns(pass), pass.inner_width, panel.inner, panel.inners);
  part(pass.rest, pass.rest_width, panel.rest, panel.rests);
  part(pass.outer, pass.outer_width, panel.outer, panel.outers);
  return panel;
}

std::int64_t elements(const FftPass& pass, const Panel& panel) {
  return panel.outers * pass.radix * panel.rests * panel.inners;
}

std::vector<Panel> panel_parts(const FftPass& pass, std::int64_t index) {
  std::vector<Panel> all = {panel_of(pass, index)};
  if (!pass.unpacks_reals) return all;
  Panel mirror = all[0];
  const std::int64_t last = mirror.inner + mirror.inners - 1;
  const std::int64_t end = pass.inner - std::max<std::int64_t>(mirror.inner, 1) + 1;
  mirror.inner = std::max(pass.inner - last, last + 1);  // the middle column mirrors itself
  mirror.inners = end - mirror.inner;
  if (mirror.inners > 0) all.push_back(mirror);
  return all;
}

bool has_last_element(const FftPass& pass, const std::vector<Panel>& parts) {
  return pass.unpacks_reals && parts[0].inner == 0;
}

std::int64_t elements(const FftPass& pass, const std::vector<Panel>& parts) {
  std::int64_t sum = has_last_element(pass, parts) ? 1 : 0;
  for (const Panel& panel : parts) sum += elements(pass, panel);
  return sum;
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
    const std::vector<Panel> parts = panel_parts(pass, i);
    PassCounts some{.panels = 1};
    std::int64_t shortest = std::numeric_limits<std::int64_t>::max();
    for (const Panel& panel : parts) {
      const RunGrid source = source_runs(pass, panel);
      const RunGrid target = target_runs(pass, panel);
      some.read_runs += source.runs();
      some.written_runs += target.runs();
      some.read_bytes += elements(pass, panel) * plan.element_bytes;
      shortest = std::min({shortest, source.length, target.length});
    }
    some.written_bytes = some.read_bytes;
    if (has_last_element(pass, parts)) {
      ++some.written_runs;
      some.written_bytes += plan.element_bytes;
      shortest = 1;
    }
    some.shortest_run_bytes = shortest * plan.element_bytes;
    counts += some;
  }
  return counts;
}

PassCounts counts_of(const FftPasses& plan) {
  PassCounts counts;
  for (const FftPass& pass : plan.passes) counts += counts_of(plan, pass);
  return counts;
}

std::int64_t parallel_ios(const FftPasses& plan, std::int64_t disks) {
  return 2 * std::ssize(plan.passes) * parts(plan.input_bytes(), plan.problem.block_bytes * disks);
}

std::int64_t tile_pitch_bytes(std::int64_t length, std::int64_t element_bytes) {
  const std::int64_t rounded = round_up(length * element_bytes, line_bytes);
  return rounded / line_bytes % 2 == 0 ? rounded + line_bytes : rounded;
}

PassMemory memory_of(const FftPasses& plan, const FftPass& pass) {
  std::int64_t bytes = 0;
  std::int64_t runs = 0;
  // Where reals are unpacked the first panel may lack a column's mirror, the second does not.
  for (std::int64_t i = 0; i < std::min<std::int64_t>(2, panel_count(pass)); ++i) {
    const std::vector<Panel> all = panel_parts(pass, i);
    bytes = std::max(bytes, elements(pass, all) * plan.element_bytes);
    std::int64_t read = 0;
    std::int64_t written = has_last_element(pass, all) ? 1 : 0;
    for (const Panel& panel : all) {
      read += source_runs(pass, panel).runs();
      written += target_runs(pass, panel).runs();
    }
    runs = std::max({runs, read, written});
  }
  PassMemory memory;
  memory.panel_bytes = round_up(bytes, bytes < long_panel_bytes ? line_bytes : page_bytes);
  memory.panels_bytes = plan.problem.buffers * memory.panel_bytes;
  if (pass.has_twiddles()) memory.twiddle_bytes = Twiddles::table_bytes(pass.twiddle_length);
  // And one line's twiddles.
  memory.tile_bytes = plan.problem.threads * (pass.tile_lines + 1) *
                      tile_pitch_bytes(pass.longest_line(), plan.element_bytes);
  memory.run_bytes = runs * static_cast<std::int64_t>(sizeof(disk::Run));
  return memory;
}

std::int64_t memory_bytes(const FftPasses& plan) {
  std::int64_t bytes = 0;
  for (const FftPass& pass : plan.passes) bytes = std::max(bytes, memory_of(plan, pass).total());
  return bytes;
}

}  // namespace weft::ooc
