#pragma once

#include <optional>

#include "api/handle.hpp"

namespace weft::api {

/// Returns the options that bind a plan with engines to its ranks.
run::Transform::Options run_options(const Plan& plan, const Handle::Options& options);

/// A plan, and the machine whose model planned it; absent: the fixed rule, or wisdom without one.
struct ChosenPlan {
  Plan plan = {};
  std::optional<Machine> machine = {};
};

/// Plans a problem that is the same on all ranks, with the engines of its lines. `options.engine` is
/// a word of engine_word(). The wisdom file comes first. Otherwise the plan
/// is by a fixed rule or, with a machine, by its model. With effort above estimate, trials decide,
/// and their choice is added to the wisdom. Collective.
ChosenPlan chosen_plan(const Problem& problem, const Handle::Options& options,
                       const comm::Communicator& comm);

}  // namespace weft::api
