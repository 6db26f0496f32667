#include "plan/round_trip_steps.hpp"

#include <algorithm>
#include <utility>

namespace weft {
namespace {

bool has_axes(const Stage& stage) { return !stage.axes.empty(); }

/// Returns the number of the stage at the turn: the last outward stage with axes.
std::size_t turning_stage(const std::vector<Stage>& stages, ApplyIn turn) {
  if (turn == ApplyIn::spectrum) {
    const auto last = std::find_if(stages.rbegin(), stages.rend(), has_axes);
    return last == stages.rend() ? 0 : static_cast<std::size_t>(stages.rend() - last) - 1;
  }
  const auto first = std::find_if(stages.begin(), stages.end(), has_axes);
  return first == stages.end() ? stages.size() - 1
                               : static_cast<std::size_t>(first - stages.begin());
}

}  // namespace

std::string round_trip_obstacle(const Plan& plan) {
  if (plan.view().empty()) return {};
  return "the plan treats its single axis of " + std::to_string(plan.problem.shape[0]) +
         " points as two axes";
}

std::string round_trip_remedy(const Plan& plan) {
  return "give the array the shape 1x" + std::to_string(plan.problem.shape[0]) +
         ", and transform its axis 1 only";
}

RoundTripSteps round_trip_steps(const Plan& plan, ApplyIn turn) {
  const std::size_t middle = turning_stage(plan.stages, turn);
  RoundTripSteps steps;
  if (turn == ApplyIn::spectrum) {
    for (std::size_t i = 0; i < middle; ++i) {
      steps.stages.push_back(i);
      steps.exchanges.push_back(i);
    }
  } else {
    for (std::size_t i = plan.stages.size() - 1; i > middle; --i) {
      steps.stages.push_back(i);
      steps.exchanges.push_back(i - 1);
    }
  }
  steps.turn = steps.stages.size();
  steps.stages.push_back(middle);
  for (std::size_t i = steps.turn; i-- > 0;) {  // the return has the same steps, in the opposite
                                                // order
    steps.stages.push_back(steps.stages[i]);
    steps.exchanges.push_back(steps.exchanges[i]);
  }
  return steps;
}

Stage executed_stage(const Plan& plan, ApplyIn turn, const RoundTripSteps& steps,
                     std::size_t position) {
  Stage stage = plan.stages[steps.stages[position]];
  const Direction direction =
      position <= steps.turn ? outward_direction(turn) : return_direction(turn);
  if (direction == Direction::forward) return stage;
  std::swap(stage.source, stage.target);
  std::swap(stage.source_element, stage.target_element);
  std::reverse(stage.axes.begin(), stage.axes.end());
  return stage;
}

std::string stage_name(std::size_t position, const Stage& executed) {
  std::string name = "stage " + std::to_string(position);
  if (executed.chirps) return name + ": chirp";
  if (executed.axes.empty()) return name + ": no axis";
  name += executed.axes.size() == 1 ? ": axis" : ": axes";
  for (const int axis : executed.axes) name += " " + std::to_string(axis);
  return name;
}

std::vector<std::string> step_names(const Plan& plan, const FieldTrip& trip) {
  const RoundTripSteps steps = round_trip_steps(plan, trip.turn);
  std::vector<std::string> names;
  for (std::size_t i = 0; i < steps.stages.size(); ++i) {
    std::string name = stage_name(i, executed_stage(plan, trip.turn, steps, i));
    if (i == 0 && trip.has_before) name.insert(name.find(": ") + 2, "function, ");
    if (i == steps.turn) name += ", function, back";
    if (i + 1 == steps.stages.size() && trip.has_after) name += ", function";
    names.push_back(std::move(name));
    if (i < steps.exchanges.size())
      names.push_back("exchange: " + describe(plan.exchanges[steps.exchanges[i]]));
  }
  return names;
}

}  // namespace weft
