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
  // read_s to message_s are the times of each kind of work alone, without overlap.
  double read_s = 0;
  double write_s = 0;
  double arithmetic_s = 0;  ///< lines and twiddles
  double memory_s = 0;      ///< panels through the caches, and copies to and from messages
  double message_s = 0;     ///< between ranks
  double ends_s = 0;        ///< part of `seconds`: the first read and the last write, which do not
                            ///< overlap
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
/// Model   A disk has measured times of an access and of a byte. Runs are cut into accesses. A disk
///         does not read and write at the same time. Lines have their measured times. Each axis
///         moves its panel through memory once, as in model::cost. I/O overlaps with computing if
///         it is asynchronous and there are enough buffers. All panels count as equal; see
///         PanelCostModel.
/// Errors  those of check() for machine and storage.
/// Cost    microseconds.
///
/// distributed_cost() is for plans on ranks.
KPassPlanCost cost_of(const KPassPlan& plan, const Machine& machine,
                      const model::DiskAssignment& storage);

}  // namespace weft::ooc
