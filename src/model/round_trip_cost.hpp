#pragma once

#include <weft/machine.hpp>
#include <weft/plan.hpp>
#include <weft/round_trip.hpp>

#include "model/cost.hpp"

namespace weft::model {

/// Returns the predicted time of a round trip, without the work of its functions.
///
/// Model   Stages there and back, and exchanges: as cost(), for each field; a stage with `before` or
///         `after` reads or writes the caller's arrays instead. The stage at the turn has the lines
///         of both ways. Its passes are those of both ways too, but the last one there and the first
///         one back are one: it reads every field there and writes every field back. Overlap of
///         fields is not predicted.
/// Errors  those of cost(); unsupported for a plan without round trips.
PlanCost cost(const Plan& plan, const FieldTrip& trip, const Machine& machine);

}  // namespace weft::model
