#pragma once

#include <string>

#include <weft/prediction.hpp>

namespace weft {

/// Returns the predicted times of a plan, step by step, and the next best plans: lines for people.
std::string prediction_lines(const Prediction& prediction);

}  // namespace weft
