#pragma once

#include <optional>
#include <string>

#include <weft/plan.hpp>
#include <weft/wisdom.hpp>

#include "comm/communicator.hpp"

namespace weft::api {

/// Returns the plan for a problem on this machine from a wisdom file. The problem must be complete,
/// as after checked(). Rank 0 reads the file and broadcasts the plan. The result is empty if
/// there is no plan, or if the file is unusable. In the second case rank 0 prints a warning.
/// Collective.
std::optional<Plan> plan_from_wisdom(const std::string& path, const Problem& problem,
                                     const MachineIdentity& machine,
                                     const comm::Communicator& comm);

/// Adds a plan to a wisdom file. Rank 0 writes; the other ranks do nothing. If rank 0 cannot write,
/// it prints a warning, and the file is unchanged.
void add_to_wisdom(const std::string& path, const Plan& plan, const MachineIdentity& machine,
                   const comm::Communicator& comm);

}  // namespace weft::api
