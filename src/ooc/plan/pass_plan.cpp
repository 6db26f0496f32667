#include "ooc/plan/pass_plan.hpp"

#include <algorithm>
#include <limits>
#include <utility>

#include "base/direct_io.hpp"
#include "base/roots.hpp"
#include "base/rounding.hpp"

namespace weft::ooc {
namespace {

/// Panels from this size on begin at addresses that direct transfers accept.
constexpr std::int64_t long_panel_bytes = std::int64_t{1} << 20;
constexpr std::int64_t line_bytes = 64;

/// Returns the number of columns without those that are in a panel as mirrors of others.
std::int64_t leading(std::int64_t columns, bool mirrors) {
  return mirrors ? columns / 2 + 1 : columns;
}

std::int64_t or_else(std::int64_t given, std::int64_t otherwise) {
  return given > 0 ? given : otherwise;
}

std::int64_t source_radix(const KPass& pass) {
  return pass.reads_reals ? or_else(pass.real_radix, pass.radix) : pass.radix;
}

std::int64_t target_radix(const KPass& pass) {
  return pass.writes_reals ? or_else(pass.real_radix, pass.radix) : pass.radix;
}

std::int64_t source_slab(const KPass& pass) {
  return or_else(pass.source_slab, source_radix(pass) * pass.rest * pass.inner);
}

std::int64_t target_slab(const KPass& pass) {
  return or_else(pass.target_slab, target_radix(pass) * pass.rest * pass.inner);
}

/// Merges loops into one run if the elements of the loops are adjacent on disk and in memory.
RunGrid merged(std::int64_t first, const std::array<RunGrid::GridLoop, 4>& nest) {
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

Kind KPassProblem::kind_of(int axis) const {
  if (axis == halved_axis()) return Kind::r2c;
  for (std::size_t i = 0; i < kinds.size(); ++i)
    if (axes[i] == axis) return kinds[i];
  return Kind::c2c;
}

int KPassProblem::halved_axis() const {
  constexpr int none = -1;
  if (kinds.empty()) return has_reals() && !axes.empty() ? axes.back() : none;
  const auto found = std::find(kinds.begin(), kinds.end(), Kind::r2c);
  return found == kinds.end() ? none : axes[static_cast<std::size_t>(found - kinds.begin())];
}

bool KPassProblem::is_c2c() const {
  return !has_reals() &&
         std::all_of(kinds.begin(), kinds.end(), [](Kind kind) { return kind == Kind::c2c; });
}

std::int64_t KPass::longest_line() const {
  std::int64_t longest = 1;
  for (const PanelAxis& axis : axes) longest = std::max(longest, axis.stored_length());
  return longest;
}

std::int64_t KPassPlan::input_bytes() const {
  if (problem.input_type)
    return volume(problem.real_input ? problem.shape : complex_shape(problem)) *
           problem.input_type->bytes;
  return problem.real_input ? volume(problem.shape) * real_bytes(problem.precision)
                            : volume(complex_shape(problem)) * complex_bytes(problem.precision);
}

std::int64_t KPassPlan::output_bytes() const {
  return problem.real_output ? volume(problem.shape) * real_bytes(problem.precision)
                             : volume(complex_shape(problem)) * complex_bytes(problem.precision);
}

std::int64_t KPassPlan::source_element_bytes(const KPass& pass) const {
  if (!pass.converts) return pass.reads_reals ? element_bytes / 2 : element_bytes;
  return reads_pairs(problem, pass) ? 2 * problem.input_type->bytes : problem.input_type->bytes;
}

std::int64_t KPassPlan::target_element_bytes(const KPass& pass) const {
  return pass.writes_reals ? element_bytes / 2 : element_bytes;
}

std::int64_t KPassPlan::source_bytes(const KPass& pass) const {
  if (pass.source == model::VolumeRole::nothing) return 0;
  return pass.outer * source_slab(pass) * source_element_bytes(pass);
}

std::int64_t KPassPlan::target_bytes(const KPass& pass) const {
  return pass.outer * target_slab(pass) * target_element_bytes(pass);
}

Shape complex_shape(const KPassProblem& problem) {
  Shape shape = problem.shape;
  if (problem.halves()) {
    std::int64_t& halved = shape[static_cast<std::size_t>(problem.halved_axis())];
    halved = halved / 2 + 1;
  }
  return shape;
}

bool reads_pairs(const KPassProblem& problem, const KPass& pass) {
  return problem.real_input && !pass.reads_reals && !problem.keeps_reals();
}

std::int64_t panel_count(const KPass& pass) {
  return divided_up(pass.outer, pass.outer_width) *
         divided_up(leading(pass.rest, pass.packs_reals), pass.rest_width) *
         divided_up(leading(pass.inner, pass.unpacks_reals), pass.inner_width);
}

Panel panel_of(const KPass& pass, std::int64_t index) {
  const auto part = [&index](std::int64_t extent, std::int64_t width, std::int64_t& first,
                             std::int64_t& count) {
    first = index % divided_up(extent, width) * width;
    count = std::min(width, extent - first);
    index /= divided_up(extent, width);
  };
  Panel panel;
  part(leading(pass.inner, pass.unpacks_reals), pass.inner_width, panel.inner, panel.inners);
  part(leading(pass.rest, pass.packs_reals), pass.rest_width, panel.rest, panel.rests);
  part(pass.outer, pass.outer_width, panel.outer, panel.outers);
  return panel;
}

std::int64_t elements(const KPass& pass, const Panel& panel) {
  return panel.outers * pass.radix * panel.rests * panel.inners;
}

std::vector<Panel> panel_parts(const KPass& pass, std::int64_t index) {
  std::vector<Panel> all = {panel_of(pass, index)};
  if (!pass.mirrors()) return all;
  Panel mirror = all[0];
  const std::int64_t columns = pass.packs_reals ? pass.rest : pass.inner;
  std::int64_t& first = pass.packs_reals ? mirror.rest : mirror.inner;
  std::int64_t& count = pass.packs_reals ? mirror.rests : mirror.inners;
  const std::int64_t last = first + count - 1;
  const std::int64_t end = columns - std::max<std::int64_t>(first, 1) + 1;
  first = std::max(columns - last, last + 1);  // the middle column mirrors itself
  count = end - first;
  if (count > 0) all.push_back(mirror);
  return all;
}

bool has_last_element(const KPass& pass, const std::vector<Panel>& parts) {
  return pass.mirrors() && (pass.packs_reals ? parts[0].rest : parts[0].inner) == 0;
}

std::int64_t elements(const KPass& pass, const std::vector<Panel>& parts) {
  std::int64_t sum = has_last_element(pass, parts) ? 1 : 0;
  for (const Panel& panel : parts) sum += elements(pass, panel);
  return pass.convolves ? 2 * sum : sum;
}

RunGrid source_runs(const KPass& pass, const Panel& panel) {
  const std::int64_t slab = source_slab(pass);
  return merged(panel.outer * slab + panel.rest * pass.inner + panel.inner,
                {{{panel.outers, slab},
                  {source_radix(pass), pass.rest * pass.inner},
                  {panel.rests, pass.inner},
                  {panel.inners, 1}}});
}

RunGrid target_runs(const KPass& pass, const Panel& panel) {
  const std::int64_t slab = target_slab(pass);
  const std::int64_t radix = target_radix(pass);
  return merged(panel.outer * slab + panel.rest * radix * pass.inner + panel.inner,
                {{{panel.outers, slab},
                  {panel.rests, radix * pass.inner},
                  {radix, pass.inner},
                  {panel.inners, 1}}});
}

namespace {

/// Returns the runs of a panel before element `end` of one slab, which is [radix][columns] on the
/// disks: whole rows, and a part of a row.
std::vector<RunGrid> rows_before(std::int64_t end, std::int64_t radix, std::int64_t columns,
                                 std::int64_t slab_first, std::int64_t first, std::int64_t width) {
  const std::int64_t whole =
      end < first + width ? 0 : std::min(radix, (end - first - width) / columns + 1);
  std::vector<RunGrid> grids;
  if (whole > 0)
    grids.push_back(merged(slab_first + first, {{{1, 0}, {1, 0}, {whole, columns}, {width, 1}}}));
  const std::int64_t part_first = whole * columns + first;
  if (whole < radix && part_first < end)
    grids.push_back({.first = slab_first + part_first, .length = end - part_first});
  return grids;
}

std::vector<RunGrid> shifted(std::vector<RunGrid> grids, std::int64_t first) {
  for (RunGrid& grid : grids) grid.first += first;
  return grids;
}

}  // namespace

std::vector<RunGrid> reads_of(const KPass& pass, const std::vector<Panel>& parts) {
  if (pass.source == model::VolumeRole::nothing) return {};
  const std::int64_t slab = source_slab(pass);
  const std::int64_t columns = pass.rest * pass.inner;
  const Panel& main = parts[0];
  if (slab < source_radix(pass) * columns)
    return shifted(rows_before(slab, pass.radix, columns, main.outer * slab,
                               main.rest * pass.inner + main.inner, main.rests * main.inners),
                   pass.source_first);
  std::vector<RunGrid> grids;
  for (const Panel& panel : parts) grids.push_back(source_runs(pass, panel));
  if (pass.packs_reals && has_last_element(pass, parts))
    grids.push_back({.first = main.outer * slab + slab - 1});
  grids = shifted(std::move(grids), pass.source_first);
  if (pass.convolves) {
    grids.push_back(source_runs(pass, main));
    grids.back().first += pass.kernel_first;
  }
  return grids;
}

std::vector<RunGrid> writes_of(const KPass& pass, const std::vector<Panel>& parts) {
  const std::int64_t slab = target_slab(pass);
  const Panel& main = parts[0];
  if (slab < target_radix(pass) * pass.rest * pass.inner)
    return shifted(
        rows_before(slab, pass.radix, pass.inner, main.outer * slab, main.inner, main.inners),
        pass.target_first);
  std::vector<RunGrid> grids;
  for (const Panel& panel : parts) grids.push_back(target_runs(pass, panel));
  if (pass.unpacks_reals && has_last_element(pass, parts))
    grids.push_back({.first = main.outer * slab + slab - 1});
  return shifted(std::move(grids), pass.target_first);
}

PassCounts& PassCounts::operator+=(const PassCounts& other) {
  shortest_run_bytes = panels == 0 ? other.shortest_run_bytes
                                   : std::min(shortest_run_bytes, other.shortest_run_bytes);
  panels += other.panels;
  read_bytes += other.read_bytes;
  written_bytes += other.written_bytes;
  journal_bytes += other.journal_bytes;
  read_runs += other.read_runs;
  written_runs += other.written_runs;
  return *this;
}

namespace {

/// Counts of runs and elements in grids, and the shortest run.
struct Tally {
  std::int64_t runs = 0;
  std::int64_t elements = 0;
  std::int64_t shortest = std::numeric_limits<std::int64_t>::max();
};

Tally tally(const std::vector<RunGrid>& grids) {
  Tally sum;
  for (const RunGrid& grid : grids) {
    sum.runs += grid.runs();
    sum.elements += grid.runs() * grid.length;
    sum.shortest = std::min(sum.shortest, grid.length);
  }
  return sum;
}

/// A group of panels with the same number and lengths of runs.
struct AlikePanels {
  std::int64_t first = 0;
  std::int64_t count = 1;
};

/// Groups the parts of an extent. The first part may lack a mirror, and the last may be shorter.
/// The parts between are alike.
std::vector<AlikePanels> parts_by_kind(std::int64_t parts, bool all_differ) {
  if (parts > 3 && !all_differ) return {{0, 1}, {1, parts - 2}, {parts - 1, 1}};
  std::vector<AlikePanels> each;
  for (std::int64_t part = 0; part < parts; ++part) each.push_back({part, 1});
  return each;
}

std::vector<AlikePanels> panels_by_kind(const KPass& pass) {
  const std::int64_t columns = pass.rest * pass.inner;
  // A slab that is cut short ends in the middle of a panel.
  const bool is_cut = source_slab(pass) < source_radix(pass) * columns ||
                      target_slab(pass) < target_radix(pass) * columns;
  const std::int64_t inners = divided_up(leading(pass.inner, pass.unpacks_reals), pass.inner_width);
  const std::int64_t rests = divided_up(leading(pass.rest, pass.packs_reals), pass.rest_width);
  std::vector<AlikePanels> all;
  for (const AlikePanels& outer : parts_by_kind(divided_up(pass.outer, pass.outer_width), false))
    for (const AlikePanels& rest : parts_by_kind(rests, is_cut))
      for (const AlikePanels& inner : parts_by_kind(inners, is_cut))
        all.push_back({(outer.first * rests + rest.first) * inners + inner.first,
                       outer.count * rest.count * inner.count});
  return all;
}

}  // namespace

PassCounts counts_of(const KPassPlan& plan, const KPass& pass) {
  PassCounts counts;
  std::int64_t shortest = std::numeric_limits<std::int64_t>::max();
  const auto count = [&](std::int64_t panels, const std::vector<RunGrid>& grids,
                         std::int64_t element_bytes, std::int64_t& runs, std::int64_t& bytes) {
    const Tally sum = tally(grids);
    if (sum.runs == 0) return;
    runs += panels * sum.runs;
    bytes += panels * sum.elements * element_bytes;
    shortest = std::min(shortest, sum.shortest * element_bytes);
  };
  counts.panels = panel_count(pass);
  for (const AlikePanels& alike : panels_by_kind(pass)) {
    const std::vector<Panel> parts = panel_parts(pass, alike.first);
    count(alike.count, reads_of(pass, parts), plan.source_element_bytes(pass), counts.read_runs,
          counts.read_bytes);
    count(alike.count, writes_of(pass, parts), plan.target_element_bytes(pass), counts.written_runs,
          counts.written_bytes);
  }
  counts.shortest_run_bytes = shortest;
  if (pass.journaled) counts.journal_bytes = counts.written_bytes;
  counts.written_bytes += counts.journal_bytes;
  counts.read_bytes += pass.journal_read_bytes;
  return counts;
}

PassCounts counts_of(const KPassPlan& plan) {
  PassCounts counts;
  for (const KPass& pass : plan.passes) counts += counts_of(plan, pass);
  return counts;
}

std::int64_t parallel_ios(const KPassPlan& plan, std::int64_t disks) {
  const auto ios = [&](std::int64_t bytes) {
    return divided_up(bytes, plan.problem.block_bytes * disks);
  };
  std::int64_t sum = 0;
  for (const KPass& pass : plan.passes) {
    sum += ios(plan.source_bytes(pass)) + ios(plan.target_bytes(pass));
    if (pass.convolves) sum += ios(plan.source_bytes(pass));  // the kernel
    if (pass.journaled) sum += ios(plan.target_bytes(pass));
  }
  return sum;
}

std::int64_t tile_pitch_bytes(std::int64_t length, std::int64_t element_bytes) {
  const std::int64_t rounded = rounded_up(length * element_bytes, line_bytes);
  return rounded / line_bytes % 2 == 0 ? rounded + line_bytes : rounded;
}

PassMemory memory_of(const KPassPlan& plan, const KPass& pass) {
  std::int64_t bytes = 0;
  std::int64_t runs = 0;
  // If reals are unpacked, the first panel may lack the mirror of a column, so the second panel is
  // examined too.
  for (std::int64_t i = 0; i < std::min<std::int64_t>(2, panel_count(pass)); ++i) {
    const std::vector<Panel> all = panel_parts(pass, i);
    bytes = std::max(bytes, elements(pass, all) * plan.element_bytes);
    runs = std::max({runs, tally(reads_of(pass, all)).runs, tally(writes_of(pass, all)).runs});
  }
  PassMemory memory;
  memory.panel_bytes =
      rounded_up(bytes, bytes < long_panel_bytes ? line_bytes : direct_io_alignment_bytes);
  memory.panels_bytes = plan.problem.buffers * memory.panel_bytes;
  if (pass.has_twiddles())
    memory.twiddle_bytes = RootTables<double>::table_bytes(pass.twiddle_length);
  if (pass.chirp != Chirp::none)
    memory.chirp_bytes = RootTables<double>::table_bytes(2 * pass.chirp_length);
  // Each thread has one more line, for twiddles.
  memory.tile_bytes = plan.problem.threads * (pass.tile_lines + 1) *
                      tile_pitch_bytes(pass.longest_line(), plan.element_bytes);
  memory.run_bytes = runs * listed_run_bytes;
  return memory;
}

std::int64_t memory_bytes(const KPassPlan& plan) {
  std::int64_t bytes = 0;
  for (const KPass& pass : plan.passes) bytes = std::max(bytes, memory_of(plan, pass).total());
  return bytes;
}

}  // namespace weft::ooc
