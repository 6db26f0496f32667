#pragma once

#include <optional>
#include <string>

#include <weft/plan.hpp>
#include <weft/wisdom.hpp>

#include "comm/communicator.hpp"

namespace weft::api {

/// The plan that the wisdom in a file has for a problem on this machine, which has to be complete,
/// as checked() makes it. Rank 0 reads and tells the others; what is wrong with the file it says
/// on standard error, and there is none. Collective.
std::optional<Plan> remembered(const std::string& path, const Problem& problem,
                               const MachineIdentity& machine, const comm::Communicator& comm);

/// Adds a decision to the wisdom in a file. Rank 0 writes; where it cannot, it says so on standard
/// error and the file is as it was. Local on the other ranks.
void remember(const std::string& path, const Plan& plan, const MachineIdentity& machine,
              const comm::Communicator& comm);

}  // namespace weft::api
