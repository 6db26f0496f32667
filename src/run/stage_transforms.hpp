#pragma once

#include <memory>
#include <optional>
#include <vector>

#include <weft/plan.hpp>

#include "kernel/chirp_pass.hpp"
#include "kernel/lines.hpp"
#include "plan/end_stages.hpp"

namespace weft::run {

/// A plan's stages as executed in one direction: order, source and target.
std::vector<Stage> route_of(const Plan& plan, Direction direction);

/// What the stage at a position of the route does along its axes, without the scale of the transform.
/// `spectrum`: what this rank's lines are convolved with, where the plan convolves.
std::vector<kernel::AxisTransform> transforms_of(
    const Plan& plan, const std::vector<Stage>& route, std::size_t position, Direction direction,
    const std::shared_ptr<const kernel::LineSpectrum>& spectrum);

/// What the stage at a position does where it is an end of a convolution: the last one scales.
std::optional<kernel::ChirpEnd> chirp_end_of(const Plan& plan, const std::vector<Stage>& route,
                                             std::size_t position, Direction direction);

/// Scale that a direction multiplies into its result.
long double scale_of(const Problem& problem, Direction direction);

}  // namespace weft::run
