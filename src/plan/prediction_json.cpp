#include "plan/prediction_json.hpp"

#include "plan/json_fields.hpp"

namespace weft::json {

template <>
constexpr auto fields<Alternative> = std::tuple(Field{"way", &Alternative::way},
                                                Field{"seconds", &Alternative::seconds},
                                                Field{"loses_by", &Alternative::loses_by},
                                                Field{"measured_s", &Alternative::measured_s});

namespace {

/// The numbers of a step, each with its key.
constexpr std::pair<const char*, double StepCost::*> step_times[] = {
    {"arithmetic_s", &StepCost::arithmetic_s}, {"memory_s", &StepCost::memory_s},
    {"start_s", &StepCost::start_s},           {"wire_s", &StepCost::wire_s},
    {"processor_s", &StepCost::processor_s},   {"hidden_s", &StepCost::hidden_s}};

}  // namespace

Json write(const StepCost& step) {
  Json object{{"name", step.name}, {"kind", step.is_exchange ? "exchange" : "stage"}};
  object["seconds"] = step.seconds();
  for (const auto& [key, member] : step_times) object[key] = step.*member;
  object["bytes"] = step.bytes;
  object["messages"] = step.messages;
  object["limit"] = to_string(step.limit);
  object["where"] = step.where;
  return object;
}

StepCost read_step(const JsonPlace& place) {
  Object object(place);
  StepCost step;
  step.name = text(object.at("name"));
  const JsonPlace kind = object.at("kind");
  step.is_exchange = text(kind) == "exchange";
  if (!step.is_exchange && text(kind) != "stage") refuse(kind, "this must be stage or exchange");
  number(object.at("seconds"));  // only for people: the sum of the times below
  for (const auto& [key, member] : step_times) step.*member = number(object.at(key));
  step.bytes = integer(object.at("bytes"));
  step.messages = integer(object.at("messages"));
  step.limit = word<Limit>(object.at("limit"));
  step.where = text(object.at("where"));
  object.finish();
  return step;
}

Json write(const Alternative& alternative) { return written(alternative); }

Alternative read_alternative(const JsonPlace& place) { return read_as<Alternative>(place); }

Json write(const Prediction& prediction) {
  Json object{{"machine", prediction.machine}, {"seconds", prediction.cost.seconds()}};
  object["steps"] = Json::array();
  for (const StepCost& step : prediction.cost.steps) object["steps"].push_back(write(step));
  object["call_s"] = prediction.cost.call_s;
  object["alternatives"] = written(prediction.alternatives);
  object["considered"] = prediction.considered;
  object["measured_s"] = prediction.measured_s;
  if (!prediction.order.empty()) {
    object["order"] = prediction.order;
    object["default_order_s"] = prediction.default_order_s;
  }
  return object;
}

Prediction read_prediction(const JsonPlace& place) {
  Object object(place);
  Prediction prediction;
  prediction.machine = text(object.at("machine"));
  number(object.at("seconds"));
  for (const JsonPlace& step : elements(object.at("steps")))
    prediction.cost.steps.push_back(read_step(step));
  prediction.cost.call_s = number(object.at("call_s"));
  prediction.alternatives = read_as<std::vector<Alternative>>(object.at("alternatives"));
  prediction.considered = integer(object.at("considered"));
  prediction.measured_s = number(object.at("measured_s"));
  if (object.has("order")) {
    prediction.order = text(object.at("order"));
    prediction.default_order_s = number(object.at("default_order_s"));
  }
  object.finish();
  return prediction;
}

}  // namespace weft::json
