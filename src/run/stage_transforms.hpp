#pragma once

#include <memory>
#include <optional>
#include <vector>

#include <weft/plan.hpp>

#include "kernel/chirp_pass.hpp"
#include "kernel/lines.hpp"
#include "plan/end_stages.hpp"

namespace weft::run {

/// Returns the transforms of the stage at `position`, without the scale of the result. `stages` are
/// in the order of execution. `spectrum`: from chirp_spectrum(), for a plan that convolves.
std::vector<kernel::AxisTransform> transforms_of(
    const Plan& plan, const std::vector<Stage>& stages, std::size_t position, Direction direction,
    const std::shared_ptr<const kernel::LineSpectrum>& spectrum);

/// Returns the chirp of the stage at a position, if the stage begins or ends a convolution. The
/// chirp of the last stage contains the scale of the transform.
std::optional<kernel::ChirpEnd> chirp_end_of(const Plan& plan, const std::vector<Stage>& stages,
                                             std::size_t position, Direction direction);

/// Returns the factor by which the result of a direction is multiplied.
long double scale_of(const Problem& problem, Direction direction);

}  // namespace weft::run
