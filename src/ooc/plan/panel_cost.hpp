#pragma once

#include <cstdint>
#include <vector>

#include <weft/machine.hpp>

#include "model/disk_assignment.hpp"
#include "model/moving.hpp"
#include "ooc/plan/pass_plan.hpp"

namespace weft::ooc {

/// What the panels of a pass take, for the cost of passes. All are taken to be like the widest, by the
/// share of it that they have on average. Plan, pass, machine and storage stay the caller's.
class PanelCostModel {
 public:
  /// working : panels that a node transforms at once, one for each of its ranks.
  PanelCostModel(const KPassPlan& plan, const KPass& pass, const Machine& machine,
                 const model::DiskAssignment& storage, std::int64_t working = 1);

  std::int64_t panels() const { return panels_; }
  /// Of one on average, in the precision of the transform.
  double bytes() const;

  /// Adds to seconds[k] what disk k takes to read a panel, or to write one, in an array as users have
  /// them.
  void add_disk(model::VolumeRole where, model::DiskAccess access,
                std::vector<double>& seconds) const;
  /// Adds what it takes to write a panel into a journal, in one run.
  void add_journal(std::vector<double>& seconds) const;
  /// Until a disk that has been idle answers. Of a caller that waits for each access it is part of that.
  double latency_s() const;

  double arithmetic_s() const;  ///< lines, and products with twiddles and chirps
  double memory_s() const;      ///< through the caches, for each axis
  double copied_s() const;      ///< from one buffer into another, as it lies

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
  double share_ = 1;     ///< of the widest that a panel has on average
  double elements_ = 0;  ///< on average
  Problem problem_;      ///< for the model: ranks, precision and threads
};

}  // namespace weft::ooc
