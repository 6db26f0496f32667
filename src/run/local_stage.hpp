#pragma once

#include <optional>
#include <vector>

#include "kernel/sweep.hpp"
#include "run/buffers.hpp"

namespace weft::run {

/// One stage as one rank executes it.
struct StageSpec {
  Box source;  ///< the local box before the transforms
  Box target;  ///< and after
  std::vector<kernel::AxisTransform> transforms;
  kernel::Place inlet;
  kernel::Place outlet;
  bool inlet_is_ours = false;    ///< the inlet may be overwritten
  bool outlet_is_array = false;  ///< the outlet is one array, dense or padded: it can hold others
  bool in_place = false;         ///< inlet and outlet are the same memory of the caller
  int idle_buffer = 0;           ///< workspace that neither inlet nor outlet uses
  /// A stage without axes in which half a spectrum changes its order: the boxes are of its columns,
  /// and of inlet and outlet the one that is the caller's array has one axis.
  std::optional<kernel::HermitianOrder> hermitian_order = {};
  /// Likewise a stage at an end of a convolution: the boxes are of its rows.
  std::optional<kernel::ChirpEnd> chirp = {};
};

/// The sweeps of a stage: as few as the cache allows.
///
/// Between two sweeps the array lies where the first inlet was if that is ours, else in the outlet
/// if it can hold it, else in the idle buffer; `sizes` grows to what that needs, in bytes.
std::vector<kernel::Sweep> make_sweeps(const StageSpec& spec, const kernel::LocalOptions& options,
                                       BufferSizes& sizes);

/// True when every line lies at the same bytes before and after: the stage can run in place.
bool keeps_positions(const StageSpec& spec);

}  // namespace weft::run
