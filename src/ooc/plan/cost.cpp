#include "ooc/plan/cost.hpp"

#include <algorithm>
#include <numeric>

#include "model/pipeline.hpp"
#include "ooc/plan/panel_cost.hpp"

namespace weft::ooc {
namespace {

/// Returns whether I/O overlaps with computing. Then one panel is read while another is transformed
/// and a third is written.
bool overlaps(const KPassPlan& plan, const model::DiskAssignment& storage) {
  return storage.asynchronous && plan.problem.buffers >= 3;
}

/// Returns whether only one buffer is free for the disks during a transform. With three buffers,
/// the transform uses two: its source and its target. The previous panel is written from the third
/// one.
bool has_one_buffer_for_disks(const KPassPlan& plan, const KPass& pass) {
  return plan.problem.buffers == 3 && !pass.keeps_order();
}

/// Returns the time of the disk for a panel. The next panel is read into the buffer that is free
/// first: the third buffer after its panel is written, or the source of the transform after the
/// transform.
double disk_seconds_with_one_buffer(const model::PipelineTimes& panel) {
  const double read_into_third = panel.write_s + panel.read_s;
  const double read_into_source = std::max(panel.write_s, panel.compute_s + panel.read_s);
  return std::max(panel.disk_s, std::min(read_into_third, read_into_source));
}

/// Returns the time until all disks have finished. Without asynchronous I/O the caller's thread
/// accesses one disk after the other.
double seconds_of_disks(const std::vector<double>& seconds, const model::DiskAssignment& storage) {
  if (!storage.asynchronous) return std::accumulate(seconds.begin(), seconds.end(), 0.0);
  return *std::max_element(seconds.begin(), seconds.end());
}

KPassCost cost_of_pass(const KPassPlan& plan, const KPass& pass, const Machine& machine,
                       const model::DiskAssignment& storage) {
  const PanelCostModel panel_cost(plan, pass, machine, storage);
  std::vector<double> reading(storage.disks.size());
  std::vector<double> writing(reading.size());
  panel_cost.add_disk(pass.source, model::DiskAccess::read, reading);
  panel_cost.add_disk(pass.target, model::DiskAccess::write, writing);
  if (pass.journaled) panel_cost.add_journal(writing);
  const double arithmetic_s = panel_cost.arithmetic_s();
  const double memory_s = panel_cost.memory_s();
  model::PipelineTimes panel{.read_s = seconds_of_disks(reading, storage),
                             .write_s = seconds_of_disks(writing, storage),
                             .disk_s = 0,
                             .compute_s = arithmetic_s + memory_s,
                             .latency_s = panel_cost.latency_s()};
  for (std::size_t k = 0; k < reading.size(); ++k) reading[k] += writing[k];
  panel.disk_s =
      storage.asynchronous ? seconds_of_disks(reading, storage) : panel.read_s + panel.write_s;
  const auto panels = static_cast<double>(panel_cost.panels());
  KPassCost cost{.read_s = panels * panel.read_s,
                 .write_s = panels * panel.write_s,
                 .arithmetic_s = panels * arithmetic_s,
                 .memory_s = panels * memory_s};
  if (has_one_buffer_for_disks(plan, pass)) panel.disk_s = disk_seconds_with_one_buffer(panel);
  if (overlaps(plan, storage)) cost.ends_s = panel.read_s + panel.write_s + 2 * panel.latency_s;
  cost.seconds = model::pipelined_seconds(panel, panel_cost.panels(), overlaps(plan, storage));
  if (panel.compute_s > panel.disk_s)
    cost.limit = arithmetic_s > memory_s ? PassLimit::arithmetic : PassLimit::memory;
  return cost;
}

}  // namespace

const char* to_string(PassLimit limit) {
  switch (limit) {
    case PassLimit::disk:
      return "disk";
    case PassLimit::arithmetic:
      return "arithmetic";
    case PassLimit::memory:
      return "memory";
    case PassLimit::messages:
      return "messages";
  }
  return "";
}

double KPassPlanCost::seconds() const {
  double sum = 0;
  for (const KPassCost& pass : passes) sum += pass.seconds;
  return sum;
}

KPassPlanCost cost_of(const KPassPlan& plan, const Machine& machine,
                      const model::DiskAssignment& storage) {
  check(machine);
  check(storage);
  KPassPlanCost cost;
  for (const KPass& pass : plan.passes)
    cost.passes.push_back(cost_of_pass(plan, pass, machine, storage));
  return cost;
}

}  // namespace weft::ooc
