#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include <weft/prediction.hpp>
#include <weft/record.hpp>

namespace weft {

/// Describes the steps of the last run on this rank: one line with their total time, then one line
/// for each step. A stage, or an exchange without messages, counts from its start to its end. An
/// exchange with messages counts only while the rank waited for it.
///
/// The record may have `fields` fields with `steps` steps each. A line then has the time of all
/// fields. If `prediction` has as many steps as there are lines, predicted times are added.
/// `prediction` may be nullptr.
std::string record_lines(std::span<const StepRecord> record, std::size_t steps, std::int64_t fields,
                         const Prediction* prediction);

}  // namespace weft
