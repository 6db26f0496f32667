#pragma once

#include <weft/machine.hpp>
#include <weft/plan.hpp>
#include <weft/round_trip.hpp>

#include "model/cost.hpp"

namespace weft::model {

/// Returns the predicted time of a round trip, without the work of its functions.
///
/// Model   Stages and exchanges, outward and on return, cost as in cost(plan, machine), for each
///         field. The first stage reads the caller's inputs, and the last writes the caller's
///         outputs. The numbers of inputs and outputs may differ from the numbers of fields. The
///         functions are called at the turn, between the way outward and the return. The stage at
///         the turn has the lines of both directions. Its last outward pass and its first return
///         pass are one pass. This pass reads all outward fields and writes all return fields.
///         Overlap of fields is not predicted.
/// Errors  those of cost(plan, machine); unsupported for a plan without round trips.
PlanCost cost(const Plan& plan, const FieldTrip& trip, const Machine& machine);

}  // namespace weft::model
