#include "ooc/plan/panel_cost.hpp"

#include <algorithm>

#include "model/cost.hpp"

namespace weft::ooc {

PanelCostModel::PanelCostModel(const KPassPlan& plan, const KPass& pass, const Machine& machine,
                               const model::DiskAssignment& storage, std::int64_t working)
    : plan_(plan),
      pass_(pass),
      machine_(machine),
      storage_(storage),
      working_(working),
      panels_(panel_count(pass)) {
  // With mirrors the first panel may lack the mirror of a column.
  widest_ = panel_parts(pass, pass.mirrors() && panels_ > 1 ? 1 : 0);
  std::int64_t most = 0;
  for (const Panel& panel : widest_) most += elements(pass, panel);
  elements_ = static_cast<double>(pass.elements()) / static_cast<double>(panels_);
  share_ = elements_ / static_cast<double>(most);
  problem_.precision = plan.problem.precision;
  problem_.threads = plan.problem.threads;
  problem_.ranks = plan.ranks;
}

double PanelCostModel::bytes() const {
  return elements_ * static_cast<double>(plan_.element_bytes);
}

void PanelCostModel::add_disk(model::VolumeRole where, model::DiskAccess access,
                              std::vector<double>& seconds) const {
  model::DiskWork work;
  const bool reads = access == model::DiskAccess::read;
  const auto side_bytes = static_cast<double>(reads ? plan_.source_element_bytes(pass_)
                                                    : plan_.target_element_bytes(pass_));
  for (const RunGrid& grid : reads ? reads_of(pass_, widest_) : writes_of(pass_, widest_)) {
    work.runs += grid.runs();
    work.bytes += static_cast<double>(grid.runs() * grid.length) * side_bytes;
  }
  std::vector<double> widest(seconds.size());
  add_seconds(storage_, where, access, work, plan_.problem.block_bytes, widest);
  for (std::size_t k = 0; k < seconds.size(); ++k) seconds[k] += widest[k] * share_;
}

void PanelCostModel::add_journal(std::vector<double>& seconds) const {
  add_seconds(storage_, model::VolumeRole::scratch, model::DiskAccess::write, {1, bytes()},
              plan_.problem.block_bytes, seconds);
}

double PanelCostModel::latency_s() const {
  double most = 0;
  if (!storage_.asynchronous) return most;
  for (const model::VolumeRole where : {pass_.source, pass_.target})
    if (where != model::VolumeRole::nothing)
      for (const std::size_t disk : storage_.of(where))
        most = std::max(most, storage_.disks[disk].latency_s);
  return most;
}

double PanelCostModel::arithmetic_s() const {
  double seconds = 0;
  for (const PanelAxis& axis : pass_.axes) {
    const bool has_parts = keeps_elements(axis.kind) && !plan_.problem.keeps_reals();
    seconds +=
        (has_parts ? 2 : 1) * elements_ / static_cast<double>(axis.length) *
        model::line_seconds(machine_, problem_.precision, problem_.effort, axis.kind, axis.length);
  }
  if (pass_.turns()) seconds *= 2;  // forward and backward
  const int multiplied = (pass_.twiddle != TwiddleBy::none ? 1 : 0) + (pass_.mirrors() ? 1 : 0) +
                         (pass_.chirp != Chirp::none ? 1 : 0) + (pass_.turns() ? 1 : 0);
  seconds += multiplied * model::twiddle_seconds(machine_, problem_.precision, problem_.effort,
                                                 static_cast<std::int64_t>(elements_));
  return seconds * model::time_against_one_core(problem_, working_, machine_);
}

double PanelCostModel::memory_s() const {
  double seconds = 0;
  for (const PanelAxis& axis : pass_.axes) seconds += moving_s(moved(axis));
  if (pass_.filters) seconds = 2 * seconds + moving_s(model::Moved::contiguous);
  return seconds + (pass_.mirrors() ? moving_s(model::Moved::contiguous) : 0);
}

double PanelCostModel::copied_s() const { return moving_s(model::Moved::contiguous); }

double PanelCostModel::moving_s(model::Moved how) const {
  return model::moving_seconds(2 * bytes(), how, problem_, working_, machine_);
}

/// Returns how the lines of an axis are stored in a panel.
model::Moved PanelCostModel::moved(const PanelAxis& axis) const {
  constexpr std::int64_t line_bytes = 64;
  const Panel& panel = widest_[0];
  const std::int64_t columns = axis.after * panel.rests * panel.inners;
  if (columns == 1) return model::Moved::contiguous;
  return columns * plan_.element_bytes % line_bytes == 0 ? model::Moved::transposed
                                                         : model::Moved::ragged;
}

}  // namespace weft::ooc
