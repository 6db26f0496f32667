#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include <weft/prediction.hpp>
#include <weft/record.hpp>

namespace weft {

/// Describes the steps of the last run on this rank: one line for their total time, then one line
/// for each step. The time of a stage, or of an exchange without messages, is from its start to its
/// end. The time of an exchange with messages is only the time that the rank waited for it.
///
/// If the record is that of `fields` fields with `steps` steps each, a line has the time of all
/// fields. Adds predicted times if there are as many lines as steps in `prediction`. nullptr: none.
std::string record_lines(std::span<const StepRecord> record, std::size_t steps, std::int64_t fields,
                         const Prediction* prediction);

}  // namespace weft
