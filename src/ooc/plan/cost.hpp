#pragma once

#include <cstdint>
#include <vector>

#include <weft/machine.hpp>

#include "model/disk_assignment.hpp"
#include "ooc/plan/pass_plan.hpp"

namespace weft::ooc {

/// The resource that limits a pass.
enum class PassLimit { disk, arithmetic, memory, messages };
const char* to_string(PassLimit limit);

/// Predicted time of one pass. Seconds.
struct KPassCost {
  // The times of read_s to message_s are those of the work alone, without overlap.
  double read_s = 0;
  double write_s = 0;
  double arithmetic_s = 0;  ///< lines and twiddles
  double memory_s = 0;      ///< panels through the caches, and copies to and from messages
  double message_s = 0;     ///< between ranks
  double ends_s = 0;        ///< part of `seconds`: first read and last write, not overlapped
  double seconds = 0;
  PassLimit limit = PassLimit::disk;
  friend bool operator==(const KPassCost&, const KPassCost&) = default;
};

struct KPassPlanCost {
  std::vector<KPassCost> passes;
  double seconds() const;
};

/// Returns the predicted cost of the passes of a plan. Pure.
///
/// Model   Disk has the measured times of an access and of a byte. Runs are cut into accesses. A
///         disk reads and writes one after the other. Lines have their measured times. Each axis
///         moves its panel through memory once, as in model::cost. I/O overlaps with computing
///         where it is asynchronous and there are enough buffers. All panels are assumed to be
///         alike; see PanelCostModel.
/// Errors  those of check() for machine and storage.
/// Cost    microseconds.
///
/// distributed_cost() is for plans on ranks.
KPassPlanCost cost_of(const KPassPlan& plan, const Machine& machine,
                      const model::DiskAssignment& storage);

}  // namespace weft::ooc
