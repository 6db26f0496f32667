#pragma once

#include <cstdint>
#include <functional>

#include <weft/precision.hpp>

#include "disk/volume.hpp"
#include "kernel/engine.hpp"
#include "ooc/plan/pass_plan.hpp"

namespace weft::ooc {

/// Progress of a transform. On ranks it is counted in whole rounds of one panel on each rank. All
/// writes of finished panels have ended. But only a flush of the volume makes sure that they are on
/// the disks.
struct PassProgress {
  std::int64_t pass = 0;
  std::int64_t passes = 0;
  std::int64_t panels_done = 0;  ///< the number of finished panels of this pass
  std::int64_t panels = 0;
  /// The next panel is in the journal. Parts of it may also be in the target.
  bool has_journal = false;
};

/// Saves progress, so that another process can resume the transform.
///
/// On ranks  all ranks set both functions, or none does. is_due is called only on the first rank,
///           whose clock decides for all. keep is called on every rank when all targets are on
///           their disks. The first rank calls it after all other ranks have returned from it. So
///           the progress that the first rank saves is valid for all.
struct Checkpoints {
  /// Returns whether a checkpoint is due. Called between two panels, or on ranks between two
  /// rounds. Journaled passes on ranks do not call it.
  std::function<bool()> is_due = {};
  /// Saves the progress, when the targets are on their disks. Called
  /// - when a checkpoint is due,
  /// - after each pass but the last, because the next pass may overwrite this pass's input,
  /// - in journaled passes before each panel is written.
  std::function<void(const PassProgress&)> keep = {};
};

struct PassOptions {
  kernel::Engine* engine = nullptr;  ///< nullptr: the default one
  Effort effort = Effort::estimate;
  int sign = -1;          ///< of the exponent
  long double scale = 1;  ///< the last pass multiplies the result by it
  /// Cosine and sine transforms are orthogonal up to the scale: see kernel::orthogonal_ends().
  bool orthogonal = false;
  /// Called after every panel by the thread that called run_passes. If it throws, the transform
  /// ends.
  std::function<void(const PassProgress&)> on_panel = {};
  /// Reads and writes all data without a transform, to measure the volumes alone.
  bool moves_only = false;
  Checkpoints checkpoints = {};
  /// Becomes true if this run reads NaN or infinity from the input. A single such number spoils
  /// whole lines.
  bool* found_not_finite = nullptr;
  /// The progress at which the transform begins, from a checkpoint. If it is not the first panel of
  /// the first pass, the plan must have preserve_inputs.
  PassProgress start = {};
};

/// Executes the passes of a plan. While a panel is transformed, the next one is read and the
/// previous one is written.
///
/// Volumes  have at least plan.input_bytes(), output_bytes() and scratch_bytes. If scratch_bytes is
///          0, scratch may be nullptr. A plan in place has the same volume as input and output. In
///          other plans all volumes are different, and the input is not changed. After an error no
///          I/O is in progress, and the output is undefined.
/// Memory   at most memory_bytes(plan), and the needs of the engine and the volumes.
/// Errors   Error(invalid_argument) for a sign, a volume or a start that does not fit, and for
///          checkpoints of a plan without preserve_inputs; out_of_memory; the errors of the volumes
///          and of the engine.
/// Returns  the largest number of bytes that it held at one time.
std::int64_t run_passes(const KPassPlan& plan, disk::Volume& input, disk::Volume& output,
                        disk::Volume* scratch, const PassOptions& options = {});

}  // namespace weft::ooc
