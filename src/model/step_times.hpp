#pragma once

#include <cstdint>

#include <weft/plan.hpp>
#include <weft/prediction.hpp>

namespace weft::model {

/// Hides a part of an exchange behind the stages next to it. All chunks but one can travel while
/// these stages compute, unless another exchange is already hidden behind them. If messages wait
/// for each other, the next message starts only when both ranks call MPI. They do not call MPI
/// while they compute, so those starts are not hidden. Takes the seconds that it hides from `before_s` and, unless
/// null, from `after_s`.
void hide(StepCost& exchange, const Exchange& choices, std::int64_t chunks, double& before_s,
          double* after_s);

/// Returns the step of several fields. They follow each other; their overlap is not predicted.
StepCost times(StepCost step, std::int64_t fields);

}  // namespace weft::model
