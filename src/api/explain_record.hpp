#pragma once

#include <span>
#include <string>

#include <weft/prediction.hpp>
#include <weft/record.hpp>

namespace weft {

/// Describes the steps of the last run on this rank: one line for their total time, then one line
/// for each step. The time of a stage, or of an exchange without messages, is from its start to its
/// end. The time of an exchange with messages is only the time that the rank waited for it.
///
/// Adds predicted times if `prediction` has the same number of steps as the record. nullptr: none.
std::string record_lines(std::span<const StepRecord> record, const Prediction* prediction);

}  // namespace weft
