#pragma once

#include <cstdint>
#include <vector>

#include <weft/machine.hpp>

#include "model/disk_assignment.hpp"
#include "ooc/plan/pass_plan.hpp"

namespace weft::ooc {

/// What the time of a pass goes to.
enum class PassLimit { disk, arithmetic, memory, messages };
const char* to_string(PassLimit limit);

/// Predicted time of one pass. Seconds.
struct KPassCost {
  // Each as if it went on alone.
  double read_s = 0;
  double write_s = 0;
  double arithmetic_s = 0;  ///< lines and twiddles
  double memory_s = 0;      ///< panels through the caches, and into messages and out of them
  double message_s = 0;     ///< between ranks
  double ends_s = 0;        ///< of `seconds`: the first panel is read, the last written, alone
  double seconds = 0;
  PassLimit limit = PassLimit::disk;
  friend bool operator==(const KPassCost&, const KPassCost&) = default;
};

struct KPassPlanCost {
  std::vector<KPassCost> passes;
  double seconds() const;
};

/// What the passes of a plan should take. Pure.
///
/// Model   Disks by the measured time of an access and a byte (Disk); runs are cut into accesses, and
///         a disk that is read and written does one after the other. Lines by their measured times,
///         each axis moves its panel through memory once, as model::cost has it. Reading and writing
///         hide behind computing, or it behind them, where I/O is asynchronous and there are buffers
///         enough. All panels are taken to be like the widest.
/// Errors  those of check() for machine and storage. On ranks: distributed_cost().
/// Cost    microseconds.
KPassPlanCost cost_of(const KPassPlan& plan, const Machine& machine,
                      const model::DiskAssignment& storage);

}  // namespace weft::ooc
