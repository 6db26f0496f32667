#pragma once

#include <cstdint>

#include <weft/plan.hpp>
#include <weft/prediction.hpp>

namespace weft::model {

/// Hides a part of an exchange behind the stages next to it. All chunks but one can travel while
/// these stages compute. `before_s` and `after_s` are the seconds of these stages in which nothing
/// is hidden yet; `after_s` is null if the later stage cannot overlap. The hidden seconds are
/// subtracted from both. If messages wait for each other, the next message starts only when both of
/// its ranks call MPI. Computing ranks do not call MPI, so these starts are not hidden.
void hide(StepCost& exchange, const Exchange& choices, std::int64_t chunks, double& before_s,
          double* after_s);

/// Returns the cost of a step for several fields, one after the other. Their overlap is not
/// predicted.
StepCost times(StepCost step, std::int64_t fields);

}  // namespace weft::model
