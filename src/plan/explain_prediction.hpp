#pragma once

#include <string>

#include <weft/prediction.hpp>

namespace weft {

/// What a plan should take, step by step, and the next best ways: lines for people.
std::string prediction_lines(const Prediction& prediction);

}  // namespace weft
