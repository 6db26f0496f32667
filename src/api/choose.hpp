#pragma once

#include <optional>

#include "api/handle.hpp"

namespace weft::api {

/// Returns the options with which a plan (including its engines) is bound to the ranks.
run::Transform::Options run_options(const Plan& plan, const Handle::Options& options);

/// A plan, and the machine whose model planned it. Without a machine, the plan comes from the fixed
/// rule, or from wisdom.
struct ChosenPlan {
  Plan plan = {};
  std::optional<Machine> machine = {};
};

/// Plans a problem that is the same on all ranks, with the engines of its lines. `options.engine`
/// is a word of engine_word(). If the wisdom file has a plan for the problem, that plan is taken.
/// Otherwise a fixed rule plans or, if a machine is given, its model. With effort above estimate,
/// trials decide, and their choice is added to the wisdom. Collective.
ChosenPlan chosen_plan(const Problem& problem, const Handle::Options& options,
                       const comm::Communicator& comm);

}  // namespace weft::api
