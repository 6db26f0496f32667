#pragma once

#include <cstdint>
#include <vector>

#include <weft/machine.hpp>

#include "model/disk_assignment.hpp"
#include "model/moving.hpp"
#include "ooc/plan/pass_plan.hpp"

namespace weft::ooc {

/// Cost of the panels of one pass. All panels have the same cost: that of the widest panel, times
/// the average size of a panel as a share of the widest. The caller keeps plan, pass, machine and
/// storage alive.
class PanelCostModel {
 public:
  /// `working` is the number of panels that a node transforms at the same time, one for each of its
  /// ranks.
  PanelCostModel(const KPassPlan& plan, const KPass& pass, const Machine& machine,
                 const model::DiskAssignment& storage, std::int64_t working = 1);

  std::int64_t panels() const { return panels_; }
  /// Returns the average bytes of a panel, in the precision of the transform.
  double bytes() const;

  /// Adds to seconds[k] the time that disk k needs for its part of a panel.
  void add_disk(model::VolumeRole where, model::DiskAccess access,
                std::vector<double>& seconds) const;
  /// Adds the time to write a panel into a journal, in one run.
  void add_journal(std::vector<double>& seconds) const;
  /// Returns the time until an idle disk answers. It is 0 if I/O is not asynchronous, because the
  /// time of each access then includes it.
  double latency_s() const;

  double arithmetic_s() const;  ///< lines, twiddles and chirps
  double memory_s() const;      ///< through the caches, for each axis
  double copied_s() const;      ///< from one buffer into another, in the same order

 private:
  double moving_s(model::Moved how) const;
  model::Moved moved(const PanelAxis& axis) const;

  const KPassPlan& plan_;
  const KPass& pass_;
  const Machine& machine_;
  const model::DiskAssignment& storage_;
  std::int64_t working_;
  std::int64_t panels_ = 1;
  std::vector<Panel> widest_;
  double share_ = 1;     ///< average size of a panel, as a share of the widest
  double elements_ = 0;  ///< on average
  Problem problem_;      ///< for the model: ranks, precision and threads
};

}  // namespace weft::ooc
