#pragma once

#include <nanobind/nanobind.h>

#include "ooc/plan/pass_plan.hpp"

namespace weft::python {

/// An out-of-core plan as tuples of numbers, which pickles have: all of it, since plans are dealt to ranks
/// and placed after they are made.
nanobind::object state_of_passes(const ooc::KPassPlan& plan);
/// Throws invalid_argument for what another version of weft wrote.
ooc::KPassPlan passes_of_state(const nanobind::tuple& state);

}  // namespace weft::python
