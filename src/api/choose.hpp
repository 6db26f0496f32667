#pragma once

#include "api/handle.hpp"

namespace weft::api {

/// By its name; empty: FFTW, or what WEFT_ENGINE names. Throws unsupported.
kernel::Engine& engine_of(const std::string& name);

/// How a plan is bound to the local engine that the options name.
run::Transform::Options run_options(const Plan& plan, const Handle::Options& options);

/// The plan of a problem that is the same on all ranks: that of the wisdom named, where it has one;
/// else by a fixed rule; with a machine by its model, and where more effort is asked for also by
/// trials, whose decision goes into the wisdom. Collective.
Plan chosen_plan(const Problem& problem, const Handle::Options& options,
                 const comm::Communicator& comm);

}  // namespace weft::api
