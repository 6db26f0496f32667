#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include <weft/plan.hpp>

#include "kernel/chirp_pass.hpp"
#include "kernel/hermitian_order.hpp"
#include "kernel/lines.hpp"
#include "plan/end_stages.hpp"
#include "run/buffers.hpp"

namespace weft::run {

/// The kinds of calls that ranks must not mix, because their exchanges and buffers differ.
enum class RouteCall {
  forward,
  forward_in_place,
  backward,
  backward_in_place,
  in_spectrum,
  in_space
};

/// A stage of a plan as it is executed in one direction.
struct RouteStage {
  Stage stage = {};  ///< axes, source, target and elements in the order of execution
  Direction direction = Direction::forward;
  std::vector<kernel::AxisTransform> transforms = {};  ///< transforms with their scale
  std::optional<kernel::HermitianOrder> hermitian_order = {};
  std::optional<kernel::ChirpEnd> chirp = {};
};

/// Everything that one rank executes, in order: stages, with an exchange between neighbouring
/// stages.
struct RankRoute {
  std::vector<RouteStage> stages = {};
  std::vector<Exchange> exchanges = {};
  kernel::Place input = {};  ///< the caller's arrays on this rank
  kernel::Place output = {};
  Variant variant = {};
  RouteCall call = RouteCall::forward;
  bool lends_input = false;     ///< stages may overwrite the caller's input
  bool lends_output = true;     ///< the caller's output may be used for data between stages
  bool reads_inputs = false;    ///< see reads_from_inputs()
  bool writes_outputs = false;  ///< see writes_into_outputs()

  std::size_t last() const { return stages.size() - 1; }
  /// Returns whether the array is real before a stage, or after the last one.
  bool is_real_before(std::size_t position) const;
};

/// Returns the route of a plan in one variant. `spectrum`: from chirp_spectrum(), for a plan that
/// convolves.
RankRoute route_of(const Plan& plan, Variant variant, std::int64_t rank,
                   const std::shared_ptr<const kernel::LineSpectrum>& spectrum);

/// Returns the strides of the caller's real array when it shares memory with the complex one. If
/// the halved axis is whole and fastest in memory, rows are padded to 2*(n/2+1) reals. Otherwise
/// the array is dense.
Shape inplace_real_strides(const Layout& real_layout, const Problem& problem, std::int64_t rank);

/// Returns the elements from the start of a dense or padded array to its end, with the padding of
/// its last row. The slowest axis has the largest stride.
std::int64_t span_of(const Shape& extents, const Shape& strides);

}  // namespace weft::run
