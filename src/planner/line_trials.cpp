#include "planner/line_trials.hpp"

#include <algorithm>
#include <cmath>
#include <tuple>

#include "plan/json_fields.hpp"
#include "plan/json_reader.hpp"

namespace weft {
namespace json {

template <>
constexpr auto fields<planner::LineWay> = std::tuple(Field{"engine", &planner::LineWay::engine},
                                                     Field{"across_tile",
                                                           &planner::LineWay::across_tile},
                                                     Field{"seconds", &planner::LineWay::seconds});

template <>
constexpr auto fields<planner::LineTrial> = std::tuple(
    Field{"kind", &planner::LineTrial::kind}, Field{"precision", &planner::LineTrial::precision},
    Field{"effort", &planner::LineTrial::effort}, Field{"length", &planner::LineTrial::length},
    Field{"lines", &planner::LineTrial::lines},
    Field{"across_memory", &planner::LineTrial::across_memory},
    Field{"exchanged", &planner::LineTrial::exchanged}, Field{"ways", &planner::LineTrial::ways});

}  // namespace json

namespace planner {
namespace {

using json::Json;
using json::JsonPlace;
using json::Object;

/// Grows when an older weft would misread newer trials.
constexpr std::int64_t trials_version = 2;

/// Returns whether two trials compare the same ways for the same lines.
bool same_lines(const LineTrial& one, const LineTrial& other) {
  const auto key = [](const LineTrial& trial) {
    return std::tie(trial.kind, trial.precision, trial.effort, trial.length, trial.lines,
                    trial.across_memory, trial.exchanged);
  };
  return key(one) == key(other) &&
         std::equal(one.ways.begin(), one.ways.end(), other.ways.begin(), other.ways.end(),
                    [](const LineWay& a, const LineWay& b) {
                      return a.engine == b.engine && a.across_tile == b.across_tile;
                    });
}

LineTrial read_trial(const JsonPlace& place) {
  LineTrial trial = json::read_as<LineTrial>(place);
  if (trial.length < 1 || trial.lines < 1)
    json::refuse(place, "lines of a trial and their points must be at least 1");
  if (trial.ways.empty()) json::refuse(place, "a trial must have the time of an engine");
  for (const LineWay& each : trial.ways)
    if (!(each.seconds > 0)) json::refuse(place, "seconds must be above 0");
  return trial;
}

}  // namespace

std::int64_t LineTrial::number_of_fastest() const {
  constexpr double alike = 1.05;
  const auto least = std::min_element(
      ways.begin(), ways.end(),
      [](const LineWay& one, const LineWay& two) { return one.seconds < two.seconds; });
  auto last = std::ssize(ways) - 1;
  while (ways[static_cast<std::size_t>(last)].seconds > alike * least->seconds) --last;
  return last;
}

const LineTrial* LineTrials::find(const LineTrial& lines) const {
  const auto found = std::find_if(trials_.begin(), trials_.end(),
                                  [&](const LineTrial& each) { return same_lines(each, lines); });
  return found == trials_.end() ? nullptr : &*found;
}

void LineTrials::add(const LineTrial& trial) {
  if (find(trial) == nullptr) trials_.push_back(trial);
}

void LineTrials::merge(const LineTrials& others) {
  for (const LineTrial& each : others.trials_) add(each);
}

std::string to_json(const LineTrials& trials) {
  Json document;
  document["version"] = trials_version;
  document["trials"] = json::written(trials.all());
  return document.dump();
}

LineTrials line_trials_from_json(std::string_view text) {
  const Json document = json::parse(text, "trials");
  Object object({document, "trials"});
  const JsonPlace version = object.at("version");
  if (json::integer(version) != trials_version)
    json::refuse(version,
                 "this weft reads version " + std::to_string(trials_version) + " of line trials");
  LineTrials trials;
  for (const JsonPlace& each : json::elements(object.at("trials"))) trials.add(read_trial(each));
  object.finish();
  return trials;
}

}  // namespace planner
}  // namespace weft
