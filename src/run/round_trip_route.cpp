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
  const KindTraits& traits = traits_of(problem.kind_of(axis));
  // The first point of a kind is the lowest wavenumber of its inverse.
  const double first = static_cast<double>(traits_of(traits.inverse).twice_lowest) / 2;
  const auto intervals =
      static_cast<double>(problem.shape[static_cast<std::size_t>(axis)] + traits.logical_shift);
  kernel::AxisTable table;
  for (std::int64_t j = 0; j < problem.support_of(axis); ++j)
    table.coordinates.push_back((static_cast<double>(j) + first) / intervals);
  return table;
}

kernel::AxisTable wavenumbers_of(const Problem& problem, int axis) {
  const KindTraits& traits = traits_of(problem.kind_of(axis));
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
    if (traits.is_periodic())
      table.coordinates.push_back(static_cast<double>(2 * k < modes ? k : k - modes));
    else
      table.coordinates.push_back(static_cast<double>(k) +
                                  static_cast<double>(traits.twice_lowest) / 2);
  }
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
  // the number of the stage at the turn on the way back
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
