#pragma once

#include <optional>
#include <string>

#include <weft/fft.hpp>
#include <weft/machine.hpp>

#include "comm/communicator.hpp"

namespace weft::api {

/// The machine or the rule that plans.
struct PlannedBy {
  std::optional<Machine> machine = {};  ///< absent: the fixed rule
  std::string note = {};                ///< added to the plan if the user did not choose
};

/// Returns whether every rank must get a part, if weft chooses the input layout.
bool wants_all_ranks(const Planning& planning);

/// Returns the given machine. If none is given, returns the machine or the fixed rule that
/// `plan_by` selects. By default WEFT_MACHINE selects. Without this variable, a single rank plans
/// by the fixed rule, and several ranks plan by the local machine. If weft measures this machine,
/// the lines use `engine`, a word of engine_word(). Collective; the same result on all ranks.
///
/// Errors  invalid_argument if WEFT_MACHINE names no machine; those of local_machine().
PlannedBy planned_by(const Planning& planning, int threads, const std::string& engine,
                     const comm::Communicator& comm);

/// Returns whether WEFT_MACHINE is "fixed-rule" on rank 0. Collective.
bool names_fixed_rule(const comm::Communicator& comm);

}  // namespace weft::api
