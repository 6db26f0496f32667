#include "run/round_trip_route.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

#include "plan/kinds.hpp"

namespace weft::run {
namespace {

bool is_transformed(const Problem& problem, int axis) {
  return std::find(problem.axes.begin(), problem.axes.end(), axis) != problem.axes.end();
}

kernel::AxisTable indices(std::int64_t n) {
  kernel::AxisTable table;
  for (std::int64_t j = 0; j < n; ++j) table.coordinates.push_back(static_cast<double>(j));
  return table;
}

/// Returns the positions of an axis, in units of its length.
kernel::AxisTable positions_of(const Problem& problem, int axis) {
  const Kind kind = problem.kind_of(axis);
  const std::int64_t n = problem.shape[static_cast<std::size_t>(axis)];
  const KindTraits& traits = traits_of(kind);
  double first = 0;
  double intervals = static_cast<double>(n);
  if (keeps_elements(kind)) {
    // The points of a kind are the wavenumbers of its inverse.
    first = static_cast<double>(traits_of(traits.inverse).twice_lowest) / 2;
    intervals = static_cast<double>(traits.logical_length(n)) / 2;
  }
  kernel::AxisTable table;
  for (std::int64_t j = 0; j < problem.support_of(axis); ++j)
    table.coordinates.push_back((static_cast<double>(j) + first) / intervals);
  return table;
}

kernel::AxisTable wavenumbers_of(const Problem& problem, int axis) {
  const Kind kind = problem.kind_of(axis);
  const std::int64_t modes = problem.modes_of(axis);
  kernel::AxisTable table;
  if (problem.halves(axis)) {
    for (std::int64_t k = 0; k <= modes / 2; ++k) {
      table.coordinates.push_back(static_cast<double>(k));
      table.weights.push_back(k == 0 || 2 * k == modes ? 1 : 2);
    }
    return table;
  }
  for (std::int64_t k = 0; k < modes; ++k) {
    if (keeps_elements(kind))
      table.coordinates.push_back(static_cast<double>(k) +
                                  static_cast<double>(traits_of(kind).twice_lowest) / 2);
    else
      table.coordinates.push_back(static_cast<double>(2 * k < modes ? k : k - modes));
  }
  return table;
}

/// Drops stages without axes at the end of the way there, with their exchanges.
void drop_copies_at_end(RankRoute& way) {
  while (way.stages.size() > 1 && way.stages.back().transforms.empty()) {
    way.stages.pop_back();
    way.exchanges.pop_back();
  }
}

void drop_copies_at_start(RankRoute& way) {
  while (way.stages.size() > 1 && way.stages.front().transforms.empty()) {
    way.stages.erase(way.stages.begin());
    way.exchanges.erase(way.exchanges.begin());
  }
}

}  // namespace

std::string no_round_trip(const Plan& plan) {
  if (plan.view().empty()) return {};
  return "the plan sees its one axis of " + std::to_string(plan.problem.shape[0]) +
         " points as two";
}

RoundTripRoute round_trip_route(const Plan& plan, ApplyIn turn, std::int64_t rank) {
  const bool in_spectrum = turn == ApplyIn::spectrum;
  const Variant there{in_spectrum ? Direction::forward : Direction::backward, false};
  const Variant back{in_spectrum ? Direction::backward : Direction::forward, false};
  RoundTripRoute trip;
  trip.route = route_of(plan, there, rank, nullptr);
  RankRoute return_way = route_of(plan, back, rank, nullptr);
  drop_copies_at_end(trip.route);
  drop_copies_at_start(return_way);
  trip.turn = trip.route.last();
  RouteStage& middle = trip.route.stages.back();
  const RouteStage& middle_back = return_way.stages.front();
  trip.transforms_back = middle_back.transforms;
  middle.stage.target = middle_back.stage.target;
  middle.stage.target_element = middle_back.stage.target_element;
  std::copy(return_way.stages.begin() + 1, return_way.stages.end(),
            std::back_inserter(trip.route.stages));
  std::copy(return_way.exchanges.begin(), return_way.exchanges.end(),
            std::back_inserter(trip.route.exchanges));
  trip.route.output = return_way.output;
  trip.route.call = in_spectrum ? 4 : 5;
  trip.route.lends_input = false;  // one array may be several inputs
  trip.route.lends_output = false;
  trip.route.reads_inputs = false;
  trip.route.writes_outputs = false;
  return trip;
}

kernel::ChainTables chain_tables(const Problem& problem) {
  kernel::ChainTables tables;
  for (int axis = 0; axis < static_cast<int>(problem.shape.size()); ++axis) {
    if (is_transformed(problem, axis)) {
      tables.spectrum.push_back(wavenumbers_of(problem, axis));
      tables.space.push_back(positions_of(problem, axis));
    } else {
      tables.spectrum.push_back(indices(problem.shape[static_cast<std::size_t>(axis)]));
      tables.space.push_back(tables.spectrum.back());
    }
  }
  return tables;
}

}  // namespace weft::run
