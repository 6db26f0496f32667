#pragma once

#include <weft/prediction.hpp>

#include "plan/json_reader.hpp"

namespace weft::json {

Json write(const StepCost& step);
Json write(const Alternative& alternative);
Json write(const Prediction& prediction);
// Inverses of the functions that write. They throw invalid_argument as all functions of
// plan/json_reader.hpp do.
StepCost read_step(const JsonPlace& place);
Alternative read_alternative(const JsonPlace& place);
Prediction read_prediction(const JsonPlace& place);

}  // namespace weft::json
