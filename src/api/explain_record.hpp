#pragma once

#include <span>
#include <string>

#include <weft/prediction.hpp>
#include <weft/record.hpp>

namespace weft {

/// Describes the times of the steps of one run on this rank, one step per line. With a prediction
/// of as many steps, each line has its predicted time too (nullptr: none). The time of an exchange
/// is the time that the rank waited for it.
std::string record_lines(std::span<const StepRecord> record, const Prediction* prediction);

}  // namespace weft
