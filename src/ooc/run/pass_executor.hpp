#pragma once

#include <cstdint>
#include <functional>

#include <weft/precision.hpp>

#include "disk/volume.hpp"
#include "kernel/engine.hpp"
#include "ooc/plan/pass_plan.hpp"

namespace weft::ooc {

/// How far a transform is; on ranks, in whole rounds of one panel a rank. What the panels that are
/// done have written has been waited for; whoever wants it on the disks, for a checkpoint, flushes the
/// volume.
struct PassProgress {
  std::int64_t pass = 0;
  std::int64_t passes = 0;
  std::int64_t panels_done = 0;  ///< of this pass: the first so many
  std::int64_t panels = 0;
  /// The next panel is in the journal as well, and may be in the target in part.
  bool has_journal = false;
};

/// How work is kept for a process that goes on after this one has ended.
///
/// On ranks  all have them or none. is_due is asked on the first rank, whose clock decides for all.
///           keep is told on every rank when all targets are on their disks; on the first one when
///           all others have returned from it, so what it notes is true of all.
struct Checkpoints {
  /// Asked after every panel, on ranks after every round: whether it is time for one.
  std::function<bool()> is_due = {};
  /// Told how far the targets are on their disks: where it is due, and after each pass but the last,
  /// before the next one writes over what the pass has read; and of journaled passes before each
  /// panel is written.
  std::function<void(const PassProgress&)> keep = {};
};

struct PassesOptions {
  kernel::Engine* engine = nullptr;  ///< nullptr: the default one
  Effort effort = Effort::estimate;
  int sign = -1;          ///< of the exponent
  long double scale = 1;  ///< multiplied into the result, in the last pass
  /// Called after every panel, by the thread that called. What it throws ends the transform.
  std::function<void(const PassProgress&)> on_panel = {};
  /// Reads and writes all that the transform would, and transforms nothing: what volumes alone take.
  bool moves_only = false;
  Checkpoints checkpoints = {};
  /// Set where this run reads NaN or infinity from the input, which spreads to all of a line.
  bool* found_not_finite = nullptr;
  /// Where a checkpoint was kept: what comes before is there already. The plan has keep_sources, or
  /// was dealt to ranks, where every pass leaves what it reads.
  PassProgress start = {};
};

/// Executes the passes of a plan: while a panel is transformed the next one is read and the last
/// one written.
///
/// Volumes  at least plan.input_bytes(), output_bytes() and scratch_bytes (nullptr for scratch where
///          that is 0); they are different, but for input and output of a plan in place. Else the
///          input is not changed. After an error nothing is under way any more, and the output is
///          undefined.
/// Memory   At most memory_bytes(plan), and what the engine and the volumes need for themselves.
/// Errors   Error(invalid_argument) for a sign, a volume or a start that does not fit, and for
///          checkpoints of a plan whose passes write where they read; those of the volumes, of the
///          engine, and out_of_memory.
/// Returns  the most bytes that were held.
std::int64_t run_passes(const KPassPlan& plan, disk::Volume& input, disk::Volume& output,
                        disk::Volume* scratch, const PassesOptions& options = {});

}  // namespace weft::ooc
