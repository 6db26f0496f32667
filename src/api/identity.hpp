#pragma once

#include <string>

#include <weft/wisdom.hpp>

#include "comm/communicator.hpp"

namespace weft::api {

/// Returns the system's name of this processor.
std::string processor_name();

/// Returns the identity of the ranks' machine, the same on all ranks. `engine` is a word of
/// engine_word(). Collective.
MachineIdentity identity_of(const comm::Communicator& comm, const std::string& engine);

}  // namespace weft::api
