#pragma once

#include <optional>
#include <vector>

#include "kernel/sweep.hpp"
#include "run/buffers.hpp"

namespace weft::run {

/// One stage as one rank executes it.
struct StageSpec {
  Box source;  ///< local box before the transforms
  Box target;  ///< local box after the transforms
  std::vector<kernel::AxisTransform> transforms;
  kernel::Place inlet;
  kernel::Place outlet;
  bool may_overwrite_inlet = false;
  /// The outlet is a single array, dense or padded. So the array between two sweeps can be stored
  /// there.
  bool outlet_is_array = false;
  bool in_place = false;  ///< inlet and outlet are the same memory of the caller
  int idle_buffer = 0;    ///< number of a workspace buffer that inlet and outlet do not use
  /// For a stage that transforms no axis, but changes the order of half a spectrum. Source and
  /// target are boxes of the folded columns. The caller's array, inlet or outlet, has one axis.
  std::optional<kernel::HermitianOrder> hermitian_order = {};
  /// The same for a stage at an end of a convolution. Source and target are boxes of the rows.
  std::optional<kernel::ChirpEnd> chirp = {};
};

/// Makes the sweeps of a stage, as few as the cache allows.
///
/// A sweep before the last one writes to its own inlet, if it may overwrite the inlet and the array
/// fits there. Otherwise it writes to the outlet if the array fits there, or else to the idle
/// buffer. `sizes` (bytes) is increased to the needs of the stage.
std::vector<kernel::Sweep> make_sweeps(const StageSpec& spec, const kernel::LocalOptions& options,
                                       BufferSizes& sizes);

/// Returns whether every line has the same position before and after, so that the stage can run in
/// place.
bool keeps_positions(const StageSpec& spec);

}  // namespace weft::run
