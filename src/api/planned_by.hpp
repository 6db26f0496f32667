#pragma once

#include <optional>
#include <string>

#include <weft/fft.hpp>
#include <weft/machine.hpp>

#include "comm/communicator.hpp"

namespace weft::api {

/// By what a transform is planned, decided.
struct PlannedBy {
  std::optional<Machine> machine = {};  ///< none: the rule
  std::string note = {};                ///< for the plan, where weft decided it
};

/// `machine` where there is one, else what `choice` says. Collective, the same on all ranks.
///
/// Errors  invalid_argument where WEFT_MACHINE names none; those of machine_here().
PlannedBy planned_by(const std::optional<Machine>& machine, PlanBy choice, int threads,
                     const comm::Communicator& comm);

}  // namespace weft::api
