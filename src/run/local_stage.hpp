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
  bool inlet_is_ours = false;    ///< the inlet may be overwritten
  bool outlet_is_array = false;  ///< the outlet is one array, dense or padded: it can hold
                                 ///< intermediate results
  bool in_place = false;         ///< inlet and outlet are the same memory of the caller
  int idle_buffer = 0;           ///< workspace not used by inlet or outlet
  /// For a stage without axes in which half a spectrum changes its order. The boxes are in columns.
  /// The caller's array, inlet or outlet, has one axis.
  std::optional<kernel::HermitianOrder> hermitian_order = {};
  /// Likewise for a stage at an end of a convolution. The boxes are in rows.
  std::optional<kernel::ChirpEnd> chirp = {};
};

/// Makes the sweeps of a stage: as few as the cache allows.
///
/// Between two sweeps the array is stored in the first inlet if that is ours, otherwise in the
/// outlet if it can hold the array, otherwise in the idle buffer. `sizes` (bytes) grows as needed.
std::vector<kernel::Sweep> make_sweeps(const StageSpec& spec, const kernel::LocalOptions& options,
                                       BufferSizes& sizes);

/// Returns true when every line has the same position before and after: the stage can run in place.
bool keeps_positions(const StageSpec& spec);

}  // namespace weft::run
