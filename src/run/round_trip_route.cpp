#include "run/round_trip_route.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

#include "plan/coordinates.hpp"

namespace weft::run {
namespace {

kernel::AxisTable indices(std::int64_t n) {
  kernel::AxisTable table;
  for (std::int64_t j = 0; j < n; ++j) table.coordinates.push_back(static_cast<double>(j));
  return table;
}

kernel::AxisTable wavenumber_table(const Problem& problem, int axis) {
  kernel::AxisTable table{.coordinates = unit_wavenumbers(problem, axis), .weights = {}};
  if (!problem.halves(axis)) return table;
  const auto modes = static_cast<double>(problem.modes_of(axis));
  for (const double k : table.coordinates)
    table.weights.push_back(k == 0 || 2 * k == modes ? 1 : 2);
  return table;
}

}  // namespace

RoundTripRoute round_trip_route(const Plan& plan, ApplyIn turn, std::int64_t rank) {
  const RankRoute outward = route_of(plan, {outward_direction(turn), false}, rank, nullptr);
  const RankRoute back = route_of(plan, {return_direction(turn), false}, rank, nullptr);
  RoundTripRoute trip;
  trip.turn = round_trip_steps(plan, turn).turn;
  trip.route = outward;
  trip.route.stages.resize(trip.turn + 1);
  trip.route.exchanges.resize(trip.turn);
  // number of the stage at the turn, counted in the return
  const auto turn_back = static_cast<std::ptrdiff_t>(outward.last() - trip.turn);
  RouteStage& at_turn = trip.route.stages.back();
  const RouteStage& at_turn_back = back.stages[static_cast<std::size_t>(turn_back)];
  trip.transforms_back = at_turn_back.transforms;
  at_turn.stage.target = at_turn_back.stage.target;
  at_turn.stage.target_element = at_turn_back.stage.target_element;
  std::copy(back.stages.begin() + turn_back + 1, back.stages.end(),
            std::back_inserter(trip.route.stages));
  std::copy(back.exchanges.begin() + turn_back, back.exchanges.end(),
            std::back_inserter(trip.route.exchanges));
  trip.route.output = back.output;
  trip.route.call = turn == ApplyIn::spectrum ? RouteCall::in_spectrum : RouteCall::in_space;
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
      tables.spectrum.push_back(wavenumber_table(problem, axis));
      tables.space.push_back({.coordinates = unit_positions(problem, axis), .weights = {}});
    } else {
      tables.spectrum.push_back(indices(problem.shape[static_cast<std::size_t>(axis)]));
      tables.space.push_back(tables.spectrum.back());
    }
  }
  return tables;
}

}  // namespace weft::run
