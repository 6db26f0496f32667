#pragma once

#include <cstdint>
#include <functional>

#include <weft/precision.hpp>

#include "disk/volume.hpp"
#include "kernel/engine.hpp"
#include "ooc/plan/pass_plan.hpp"

namespace weft::ooc {

/// Progress of a transform; on ranks, in whole rounds of one panel per rank. All writes of finished
/// panels have been waited for. To have them on the disks, for a checkpoint, flush the volume.
struct PassProgress {
  std::int64_t pass = 0;
  std::int64_t passes = 0;
  std::int64_t panels_done = 0;  ///< the number of finished panels of this pass
  std::int64_t panels = 0;
  /// The next panel is in the journal as well, and may be partly in the target.
  bool has_journal = false;
};

/// How progress is saved, so that another process can resume it.
///
/// On ranks  all have them or none. is_due is called on the first rank, which decides by its clock
///           for all. keep is called on every rank when all targets are on their disks. The first
///           rank calls it after all others have returned from it, so its note is true of all.
struct Checkpoints {
  /// Called after every panel, on ranks after every round: returns whether a checkpoint is due.
  std::function<bool()> is_due = {};
  /// Saves the progress of the targets that are on their disks. Called when a checkpoint is due;
  /// after each pass but the last, before the next one overwrites the pass's input; and in
  /// journaled passes before each panel is written.
  std::function<void(const PassProgress&)> keep = {};
};

struct PassOptions {
  kernel::Engine* engine = nullptr;  ///< nullptr: the default one
  Effort effort = Effort::estimate;
  int sign = -1;          ///< of the exponent
  long double scale = 1;  ///< multiplied into the result, in the last pass
  /// Cosine and sine transforms are orthogonal, but for the scale: see kernel::orthogonal_ends().
  bool orthogonal = false;
  /// Called after every panel, by the calling thread. An exception of it ends the transform.
  std::function<void(const PassProgress&)> on_panel = {};
  /// Reads and writes all data without a transform, to measure the volumes alone.
  bool moves_only = false;
  Checkpoints checkpoints = {};
  /// Set if this run reads NaN or infinity from the input, which spreads over whole lines.
  bool* found_not_finite = nullptr;
  /// Where a checkpoint was kept: all before it is done. The plan has preserve_inputs, or is
  /// distributed to ranks, where every pass keeps its input.
  PassProgress start = {};
};

/// Executes the passes of a plan. While a panel is transformed, the next one is read and the last
/// one written.
///
/// Volumes  at least plan.input_bytes(), output_bytes() and scratch_bytes (nullptr for scratch
///          where that is 0). They are different, except input and output of a plan in place;
///          otherwise the input is not changed. After an error no I/O is in progress, and the
///          output is undefined.
/// Memory   At most memory_bytes(plan), and the needs of the engine and the volumes.
/// Errors   Error(invalid_argument) for a sign, a volume or a start that does not fit, and for
///          checkpoints of a plan with passes that overwrite their input; those of the volumes, of
///          the engine, and out_of_memory.
/// Returns  the most bytes held at any time.
std::int64_t run_passes(const KPassPlan& plan, disk::Volume& input, disk::Volume& output,
                        disk::Volume* scratch, const PassOptions& options = {});

}  // namespace weft::ooc
