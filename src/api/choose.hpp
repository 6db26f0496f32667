#pragma once

#include <optional>

#include "api/handle.hpp"

namespace weft::api {

/// Returns the options with which a plan (including its engines) is bound to the ranks.
run::Transform::Options run_options(const Plan& plan, const Handle::Options& options);

/// A plan, and the machine whose model predicts its times, if there is one. This is the machine for
/// which weft chose the plan or, if the plan is from wisdom, the given machine.
struct ChosenPlan {
  Plan plan = {};
  std::optional<Machine> machine = {};
};

/// Plans a problem that is the same on all ranks, and chooses the engines of its lines.
/// `options.engine` is a word of engine_word(). If the wisdom file has a plan for the problem,
/// takes this plan. Otherwise plans
///   by the fixed rule  if there is no machine;
///   by trials          if there is a machine, the effort is above `estimate`, and the options
///                      permit trials. Their choice is added to the wisdom;
///   by the model       of the machine in all other cases.
/// If the options need round trips and such a new plan has none, takes the plan of whole lines.
/// Collective.
ChosenPlan chosen_plan(const Problem& problem, const Handle::Options& options,
                       const comm::Communicator& comm);

}  // namespace weft::api
