#pragma once

#include <string>

#include <weft/prediction.hpp>

namespace weft {

/// Returns a prediction as text for people: the time and its steps, and the next best plans.
/// `of_what` names the work that takes this time, as in "144 ms forward".
std::string prediction_lines(const Prediction& prediction, const std::string& of_what = "forward");

}  // namespace weft
