#pragma once

#include "api/handle.hpp"

namespace weft::api {

/// Returns an engine by its name; empty: that of default_engine(). Throws the errors of engine().
kernel::Engine& engine_of(const std::string& name);

/// Returns the options that bind a plan to the local engine in `options`.
run::Transform::Options run_options(const Plan& plan, const Handle::Options& options);

/// Plans a problem that is the same on all ranks. The wisdom file comes first. Otherwise the plan
/// is by a fixed rule or, with a machine, by its model. With effort above estimate, trials decide,
/// and their choice is added to the wisdom. Collective.
Plan chosen_plan(const Problem& problem, const Handle::Options& options,
                 const comm::Communicator& comm);

}  // namespace weft::api
