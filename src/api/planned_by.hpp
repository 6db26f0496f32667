#pragma once

#include <optional>
#include <string>

#include <weft/fft.hpp>
#include <weft/machine.hpp>

#include "comm/communicator.hpp"

namespace weft::api {

/// The basis of planning that was decided.
struct PlannedBy {
  std::optional<Machine> machine = {};  ///< absent: the rule
  std::string note = {};                ///< for the plan, if weft made the decision
};

/// Returns `machine` if present, otherwise the machine of `choice`. Collective, the same on all
/// ranks.
///
/// Errors  invalid_argument if WEFT_MACHINE names no machine; those of machine_here().
PlannedBy planned_by(const std::optional<Machine>& machine, PlanBy choice, int threads,
                     const comm::Communicator& comm);

}  // namespace weft::api
