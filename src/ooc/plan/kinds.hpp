#pragma once

#include <weft/kind.hpp>

#include "base/direction.hpp"
#include "ooc/plan/pass_plan.hpp"

namespace weft::ooc {

/// Sets the kinds of a problem's axes, and which of its sides are real, for a transform in one
/// direction. A filter has the kinds of its forward transform.
///
/// kinds    the kinds of the forward transform: one for all axes, or one for each
/// element  the type of the array, if all kinds are cosines and sines; these transform reals and
///          complex numbers
/// Errors   Error(invalid_argument) unless there is one kind, or one for each of the axes
void set_kinds(KPassProblem& problem, const Kinds& kinds, Direction direction, Element element);

/// Returns the kinds of a problem, one for each of its axes.
Kinds kinds_of(const KPassProblem& problem);

}  // namespace weft::ooc
