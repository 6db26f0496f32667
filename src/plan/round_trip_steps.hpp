#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include <weft/plan.hpp>
#include <weft/round_trip.hpp>

#include "base/direction.hpp"

namespace weft {

/// The stages and exchanges of a round trip in the order of execution, by their numbers in the
/// plan. The stage at the turn calls the function. Stages without transforms next to the turn are
/// omitted, because a function accepts any layout.
struct RoundTripSteps {
  std::vector<std::size_t> stages = {};
  std::vector<std::size_t> exchanges = {};
  std::size_t turn = 0;  ///< position of the stage that transforms in both directions
};

RoundTripSteps round_trip_steps(const Plan& plan, ApplyIn turn);

/// Returns the reason why round trips are impossible with a plan. Empty if they are possible.
std::string round_trip_obstacle(const Plan& plan);
/// Returns the remedy for this obstacle: another shape of the same array.
std::string round_trip_remedy(const Plan& plan);

/// Return the direction of the transforms before the turn, and the direction after it.
inline Direction outward_direction(ApplyIn turn) {
  return turn == ApplyIn::spectrum ? Direction::forward : Direction::backward;
}
inline Direction return_direction(ApplyIn turn) {
  return turn == ApplyIn::spectrum ? Direction::backward : Direction::forward;
}

/// Returns the number of fields in the exchange at a position.
inline std::int64_t fields_exchanged(const FieldTrip& trip, const RoundTripSteps& steps,
                                     std::size_t exchange) {
  return exchange < steps.turn ? trip.counts.in : trip.counts.out;
}

/// Returns the stage at a position as it is executed. The stage at the turn is returned in its
/// outward direction.
Stage executed_stage(const Plan& plan, ApplyIn turn, const RoundTripSteps& steps,
                     std::size_t position);

/// Returns the name of a stage, such as "stage 1: axes 2 0".
std::string stage_name(std::size_t position, const Stage& executed);

/// Returns the names of the stages and exchanges, alternately. The names show where functions are
/// called: "stage 1: axis 0, function, back".
std::vector<std::string> step_names(const Plan& plan, const FieldTrip& trip);

}  // namespace weft
