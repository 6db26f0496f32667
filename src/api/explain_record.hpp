#pragma once

#include <span>
#include <string>

#include <weft/prediction.hpp>
#include <weft/record.hpp>

namespace weft {

/// What the steps of one run took on this rank, each beside what the model says where there is a
/// prediction of as many steps (nullptr: none): lines for people. Of an exchange that is the time
/// that the rank waited for it.
std::string record_lines(std::span<const StepRecord> record, const Prediction* prediction);

}  // namespace weft
