#pragma once

#include <string>

#include <weft/prediction.hpp>

namespace weft {

/// Returns the predicted times of `of_what`, step by step, and the next best plans: lines for people.
std::string prediction_lines(const Prediction& prediction, const std::string& of_what = "forward");

}  // namespace weft
