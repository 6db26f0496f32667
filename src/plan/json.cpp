#include <weft/error.hpp>
#include <weft/plan.hpp>

#include "layout/check.hpp"
#include "plan/check_plan.hpp"
#include "plan/json_fields.hpp"
#include "plan/json_reader.hpp"
#include "plan/parts_json.hpp"
#include "plan/prediction_json.hpp"

namespace weft {
namespace json {

template <>
constexpr auto fields<LineEngine> = std::tuple(Field{"kind", &LineEngine::kind},
                                               Field{"length", &LineEngine::length},
                                               Field{"lines", &LineEngine::lines},
                                               Field{"across_memory", &LineEngine::across_memory},
                                               Field{"engine", &LineEngine::engine},
                                               Field{"across_tile", &LineEngine::across_tile});
template <>
constexpr auto fields<EngineVersion> = std::tuple(Field{"name", &EngineVersion::name},
                                                  Field{"library", &EngineVersion::library});

}  // namespace json

namespace {

using json::Json;
using json::JsonPlace;
using json::Object;

/// The version of the format of plans. It grows when an older weft would misread a newer plan.
constexpr std::int64_t plan_version = 15;

/// A plan must have all keys. A problem may be written by hand, so its missing keys have defaults.
enum class Missing { refused, has_default };

bool is_c_order(const std::vector<int>& order) {
  for (std::size_t i = 0; i < order.size(); ++i)
    if (order[i] != static_cast<int>(i)) return false;
  return true;
}

// --- writing ---

Json write(const Box& box) {
  Json ranges = Json::array();
  for (int axis = 0; axis < box.dims(); ++axis)
    ranges.push_back(Json::array({box.lower[axis], box.upper[axis]}));
  return ranges;
}

Json write(const Layout& layout) {
  if (layout.dims() == 0)
    throw Error(ErrorCode::invalid_argument,
                "a layout that is written must have axes; given an empty one");
  Json object;
  const Layout one = layout.of_one_component();
  if (layout.components() > 0) object["components"] = layout.components();
  object["shape"] = one.shape();
  if (layout.is_grid()) {
    object["grid"] = one.process_grid();
  } else {
    Json boxes = Json::array();
    for (const Box& box : one.boxes()) boxes.push_back(write(box));
    object["boxes"] = std::move(boxes);
  }
  if (!is_c_order(layout.order())) object["order"] = layout.order();
  object["ranks"] = layout.ranks();
  if (layout.first_rank() != 0) object["first_rank"] = layout.first_rank();
  return object;
}

/// Writes a decided exchange. A decided exchange has no preset.
Json write(const Exchange& exchange) {
  return {{"method", to_string(exchange.method)},
          {"wire_form", to_string(exchange.wire_form)},
          {"schedule", to_string(exchange.schedule)},
          {"requests", to_string(exchange.requests)},
          {"chunks", exchange.chunks == every_slice ? Json("slices") : Json(exchange.chunks)},
          {"nodes", to_string(exchange.nodes)},
          {"wire", to_string(exchange.wire)},
          {"piece_bytes", exchange.piece_bytes}};
}

Json write_forced(const Exchange& exchange) {
  Json object = write(exchange);
  object["preset"] = to_string(exchange.preset);
  return object;
}

Json write(const Problem& problem) {
  Json object;
  object["shape"] = problem.shape;
  object["axes"] = problem.axes;
  object["kinds"] = Json::array();
  for (const Kind kind : problem.kinds.each()) object["kinds"].push_back(to_string(kind));
  object["element"] = to_string(problem.element);
  object["modes"] = problem.modes;
  object["support"] = problem.support;
  // Only plans with components have this key, so other plans need no new version of the format.
  if (problem.components > 0) object["components"] = problem.components;
  object["precision"] = to_string(problem.precision);
  object["ranks"] = problem.ranks;
  object["ranks_per_node"] = problem.ranks_per_node;
  object["input"] = problem.has_input ? write(problem.input) : Json();
  object["all_ranks"] = problem.all_ranks;
  object["output"] = problem.output_choice == OutputChoice::given
                         ? write(problem.output)
                         : Json(to_string(problem.output_choice));
  object["norm"] = to_string(problem.norm);
  object["sign"] = problem.sign;
  object["threads"] = problem.threads;
  object["effort"] = to_string(problem.effort);
  object["overwrite_input"] = problem.overwrite_input;
  object["exchange"] = write_forced(problem.exchange);
  return object;
}

Json write(const Stage& stage) {
  return {{"source", write(stage.source)},
          {"target", write(stage.target)},
          {"axes", stage.axes},
          {"twiddles", stage.twiddles},
          {"folds", stage.folds},
          {"chirps", stage.chirps},
          {"convolves", stage.convolves},
          {"source_element", to_string(stage.source_element)},
          {"target_element", to_string(stage.target_element)}};
}

Json write(const Plan& plan) {
  Json object;
  object["version"] = plan_version;
  object["problem"] = write(plan.problem);
  object["stages"] = Json::array();
  for (const Stage& stage : plan.stages) object["stages"].push_back(write(stage));
  object["exchanges"] = Json::array();
  for (const Exchange& exchange : plan.exchanges) object["exchanges"].push_back(write(exchange));
  object["line_effort"] = to_string(plan.line_effort);
  object["chosen_by"] = plan.chosen_by;
  object["notes"] = plan.notes;
  object["prediction"] = plan.prediction ? json::write(*plan.prediction) : Json();
  object["line_engines"] = json::written(plan.line_engines);
  object["engines"] = json::written(plan.engines);
  return object;
}

std::string plan_text(const Json& value) { return json::dumped(value, "a plan"); }

// --- reading ---

Box read_box(const JsonPlace& place) {
  Box box;
  for (const JsonPlace& range : json::elements(place)) {
    const Shape bounds = json::shape(range);
    if (bounds.size() != 2) json::refuse(range, "a range of a box must be [lower, upper]");
    box.lower.push_back(bounds[0]);
    box.upper.push_back(bounds[1]);
  }
  return box;
}

Layout read_boxes(Object& object, const Shape& shape, std::int64_t ranks) {
  const JsonPlace place = object.at("boxes");
  std::vector<Box> boxes;
  for (const JsonPlace& box : json::elements(place)) boxes.push_back(read_box(box));
  if (static_cast<std::int64_t>(boxes.size()) != ranks)
    json::refuse(place,
                 "there must be one box for each of the " + std::to_string(ranks) + " ranks");
  return Layout::of_boxes(shape, std::move(boxes));
}

Layout read_grid(Object& object, const Shape& shape, std::int64_t ranks) {
  Layout layout = Layout::grid(shape, json::shape(object.at("grid")), {}, ranks);
  if (!object.has("first_rank")) return layout;
  const JsonPlace first_rank = object.at("first_rank");
  if (volume(layout.process_grid()) != 1)
    json::refuse(first_rank, "a first rank is allowed only if one rank owns everything");
  return Layout::on_one(shape, ranks, json::integer(first_rank));
}

Layout read_layout(const JsonPlace& place) {
  Object object(place);
  const Shape shape = json::shape(object.at("shape"));
  std::vector<int> order;
  if (object.has("order")) {
    const JsonPlace given = object.at("order");
    order = json::axes(given);
    // Without the key the order is the C order. An empty list would also be read as C order.
    if (order.empty()) json::refuse(given, "a memory order must list every axis");
  }
  const std::int64_t ranks = json::integer(object.at("ranks"));
  if (object.has("grid") && object.has("boxes"))
    json::refuse(place, "a layout must have a grid or boxes, not both");
  Layout layout;
  try {
    check_ranks(ranks);
    layout =
        object.has("boxes") ? read_boxes(object, shape, ranks) : read_grid(object, shape, ranks);
    if (object.has("components"))
      layout = layout.with_components(json::integer(object.at("components")));
    layout = layout.with_order(order);
  } catch (const Error& error) {
    throw Error(ErrorCode::invalid_argument, place.path + ": " + error.what());
  }
  object.finish();
  return layout;
}

std::int64_t read_chunks(const JsonPlace& place) {
  if (place.value == "slices") return every_slice;
  const std::int64_t chunks = json::integer(place);
  if (chunks < 0) json::refuse(place, "the number of chunks must not be negative");
  return chunks;
}

std::int64_t read_piece_bytes(const JsonPlace& place) {
  const std::int64_t bytes = json::integer(place);
  if (bytes < 0) json::refuse(place, "the bytes of a piece must not be negative");
  return bytes;
}

Exchange read_choices(Object& object, Missing missing) {
  const auto wanted = [&](const char* key) {
    return missing == Missing::refused || object.has(key);
  };
  Exchange exchange;
  if (wanted("method")) exchange.method = json::word<Method>(object.at("method"));
  if (wanted("wire_form")) exchange.wire_form = json::word<WireForm>(object.at("wire_form"));
  if (wanted("schedule")) exchange.schedule = json::word<Schedule>(object.at("schedule"));
  if (wanted("requests")) exchange.requests = json::word<Requests>(object.at("requests"));
  if (wanted("chunks")) exchange.chunks = read_chunks(object.at("chunks"));
  if (wanted("nodes")) exchange.nodes = json::word<NodeUse>(object.at("nodes"));
  if (wanted("wire")) exchange.wire = json::word<WirePrecision>(object.at("wire"));
  if (wanted("piece_bytes")) exchange.piece_bytes = read_piece_bytes(object.at("piece_bytes"));
  return exchange;
}

Exchange read_decided_exchange(const JsonPlace& place) {
  Object object(place);
  const Exchange exchange = read_choices(object, Missing::refused);
  object.finish();
  return exchange;
}

Exchange read_forced_exchange(const JsonPlace& place, Missing missing) {
  Object object(place);
  Exchange exchange = read_choices(object, missing);
  if (missing == Missing::refused || object.has("preset"))
    exchange.preset = json::word<Preset>(object.at("preset"));
  object.finish();
  return exchange;
}

void read_input(const JsonPlace& place, Problem& problem) {
  if (place.value.is_null()) return;
  problem.has_input = true;
  problem.input = read_layout(place);
}

void read_output(const JsonPlace& place, Problem& problem) {
  if (place.value.is_object()) {
    problem.output_choice = OutputChoice::given;
    problem.output = read_layout(place);
    return;
  }
  problem.output_choice = json::word<OutputChoice>(place);
  if (problem.output_choice == OutputChoice::given)
    json::refuse(place, "a given output must be written as its layout");
}

/// Reads one word for all axes, or one word for each axis.
Kinds read_kinds(const JsonPlace& place) {
  if (place.value.is_string()) return json::word<Kind>(place);
  std::vector<Kind> kinds;
  for (const JsonPlace& each : json::elements(place)) kinds.push_back(json::word<Kind>(each));
  return Kinds(std::move(kinds));
}

/// Reads one number for each axis, or none.
std::vector<std::int64_t> read_numbers(const JsonPlace& place) {
  std::vector<std::int64_t> numbers;
  for (const JsonPlace& each : json::elements(place)) numbers.push_back(json::integer(each));
  return numbers;
}

Problem read_problem(const JsonPlace& place, Missing missing) {
  Object object(place);
  const auto wanted = [&](const char* key) {
    return missing == Missing::refused || object.has(key);
  };
  Problem problem;
  problem.shape = json::shape(object.at("shape"));
  if (wanted("axes")) problem.axes = json::axes(object.at("axes"));
  if (wanted("kinds")) problem.kinds = read_kinds(object.at("kinds"));
  if (wanted("element")) problem.element = json::word<Element>(object.at("element"));
  if (wanted("modes")) problem.modes = read_numbers(object.at("modes"));
  if (wanted("support")) problem.support = read_numbers(object.at("support"));
  if (object.has("components")) problem.components = json::integer(object.at("components"));
  if (wanted("precision")) problem.precision = json::word<Precision>(object.at("precision"));
  if (wanted("ranks")) problem.ranks = json::integer(object.at("ranks"));
  if (wanted("ranks_per_node")) problem.ranks_per_node = json::integer(object.at("ranks_per_node"));
  if (wanted("input")) read_input(object.at("input"), problem);
  if (wanted("all_ranks")) problem.all_ranks = json::boolean(object.at("all_ranks"));
  if (wanted("output")) read_output(object.at("output"), problem);
  if (wanted("norm")) problem.norm = json::word<Norm>(object.at("norm"));
  if (wanted("sign")) problem.sign = json::small_integer(object.at("sign"));
  if (wanted("threads")) problem.threads = json::small_integer(object.at("threads"));
  if (wanted("effort")) problem.effort = json::word<Effort>(object.at("effort"));
  if (wanted("overwrite_input"))
    problem.overwrite_input = json::boolean(object.at("overwrite_input"));
  if (wanted("exchange")) problem.exchange = read_forced_exchange(object.at("exchange"), missing);
  object.finish();
  return problem;
}

Stage read_stage(const JsonPlace& place) {
  Object object(place);
  Stage stage{.source = read_layout(object.at("source")),
              .target = read_layout(object.at("target")),
              .axes = json::axes(object.at("axes")),
              .twiddles = json::boolean(object.at("twiddles")),
              .folds = json::boolean(object.at("folds")),
              .chirps = json::boolean(object.at("chirps")),
              .convolves = json::boolean(object.at("convolves")),
              .source_element = json::word<Element>(object.at("source_element")),
              .target_element = json::word<Element>(object.at("target_element"))};
  object.finish();
  return stage;
}

void check_plan_version(const JsonPlace& place) {
  if (json::integer(place) != plan_version)
    json::refuse(place, "this weft reads version " + std::to_string(plan_version) +
                            " of a plan: plan again, or use the weft that wrote it");
}

}  // namespace

std::string to_json(const Plan& plan) { return plan_text(write(plan)); }
std::string to_json(const Problem& problem) { return plan_text(write(problem)); }
std::string to_json(const Layout& layout) { return plan_text(write(layout)); }
std::string to_json(const Stage& stage) { return plan_text(write(stage)); }
std::string to_json(const Exchange& exchange) { return plan_text(write(exchange)); }
std::string to_json(const LineEngine& lines) { return plan_text(json::written(lines)); }
std::string to_json(const EngineVersion& engine) { return plan_text(json::written(engine)); }

Stage stage_from_json(std::string_view text) {
  const Json document = json::parse(text, "stage");
  return read_stage({document, "stage"});
}

Exchange exchange_from_json(std::string_view text) {
  const Json document = json::parse(text, "exchange");
  return read_decided_exchange({document, "exchange"});
}

LineEngine line_engine_from_json(std::string_view text) {
  const Json document = json::parse(text, "line engine");
  return json::read_as<LineEngine>({document, "line engine"});
}

EngineVersion engine_version_from_json(std::string_view text) {
  const Json document = json::parse(text, "engine");
  return json::read_as<EngineVersion>({document, "engine"});
}

Layout layout_from_json(std::string_view text) {
  const Json document = json::parse(text, "layout");
  return read_layout({document, "layout"});
}

Problem problem_from_json(std::string_view text) {
  const Json document = json::parse(text, "problem");
  Problem problem = read_problem({document, "problem"}, Missing::has_default);
  try {
    checked(problem);
  } catch (const Error& error) {
    throw Error(ErrorCode::invalid_argument, std::string("problem: ") + error.what());
  }
  return problem;
}

Plan plan_from_json(std::string_view text) {
  const Json document = json::parse(text, "plan");
  Object object({document, "plan"});
  check_plan_version(object.at("version"));
  Plan plan;
  plan.problem = read_problem(object.at("problem"), Missing::refused);
  for (const JsonPlace& stage : json::elements(object.at("stages")))
    plan.stages.push_back(read_stage(stage));
  for (const JsonPlace& exchange : json::elements(object.at("exchanges")))
    plan.exchanges.push_back(read_decided_exchange(exchange));
  plan.line_effort = json::word<Effort>(object.at("line_effort"));
  plan.chosen_by = json::text(object.at("chosen_by"));
  for (const JsonPlace& note : json::elements(object.at("notes")))
    plan.notes.push_back(json::text(note));
  const JsonPlace prediction = object.at("prediction");
  if (!prediction.value.is_null()) plan.prediction = json::read_prediction(prediction);
  plan.line_engines = json::read_as<std::vector<LineEngine>>(object.at("line_engines"));
  plan.engines = json::read_as<std::vector<EngineVersion>>(object.at("engines"));
  object.finish();
  check_plan(plan);
  return plan;
}

}  // namespace weft
