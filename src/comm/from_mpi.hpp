#pragma once

#include "comm/communicator.hpp"
#include "comm/mpi.hpp"

// Separate from communicator.hpp, so that its users compile without <mpi.h>, the same for every
// MPI.

namespace weft::comm {

/// Returns the group of `user`. Collective over `user` the first time, when it is duplicated; then
/// local. A communicator of one rank gives Communicator::solo().
/// Errors  Error(invalid_argument): MPI not initialised or already finalised, MPI_COMM_NULL
///         or an inter-communicator.
Communicator communicator_of(MPI_Comm user);

}  // namespace weft::comm
