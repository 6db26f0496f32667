#pragma once

#include "comm/communicator.hpp"
#include "comm/mpi.hpp"

// Separate from communicator.hpp: sources that include only the latter compile without <mpi.h>, and
// are the same for every MPI.

namespace weft::comm {

/// Returns the group of `user`. The first call duplicates `user`, and is collective over it. Later
/// calls are local. A communicator of one rank gives Communicator::solo().
/// Errors  Error(invalid_argument): MPI not initialised or already finalised, MPI_COMM_NULL
///         or an inter-communicator.
Communicator communicator_of(MPI_Comm user);

}  // namespace weft::comm
