#pragma once

#include <nanobind/nanobind.h>

#include "ooc/plan/pass_plan.hpp"

namespace weft::python {

/// Returns an out-of-core plan as tuples of numbers, for pickles. It contains everything, because
/// plans are assigned to ranks and disks after they are made.
nanobind::object state_of_passes(const ooc::KPassPlan& plan);
/// Inverse of state_of_passes. Throws invalid_argument for the state of another version of weft.
ooc::KPassPlan passes_of_state(const nanobind::tuple& state);

}  // namespace weft::python
