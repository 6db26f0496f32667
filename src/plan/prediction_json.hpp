#pragma once

#include <weft/prediction.hpp>

#include "plan/json_reader.hpp"

namespace weft::json {

Json write(const Prediction& prediction);
Prediction read_prediction(const Place& place);

}  // namespace weft::json
