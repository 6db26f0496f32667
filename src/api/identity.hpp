#pragma once

#include <string>

#include <weft/wisdom.hpp>

#include "comm/communicator.hpp"
#include "kernel/engine.hpp"

namespace weft::api {

/// What the system calls this processor.
std::string processor_name();

/// The machine that the ranks are on, the same on all of them. Collective.
MachineIdentity identity_of(const comm::Communicator& comm, const kernel::Engine& engine);

}  // namespace weft::api
