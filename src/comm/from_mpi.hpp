#pragma once

#include "comm/communicator.hpp"
#include "comm/mpi.hpp"

// This is separate from communicator.hpp, so that sources without MPI calls compile without
// <mpi.h>. Such sources are the same for every MPI library.

namespace weft::comm {

/// Returns the group of `user`. The first call duplicates `user`, and is collective over it. Later
/// calls are local. A communicator of one rank gives Communicator::solo().
/// Errors  Error(invalid_argument) if MPI is not initialised or already finalised, for
///         MPI_COMM_NULL, and for an inter-communicator.
Communicator communicator_of(MPI_Comm user);

/// As communicator_of(), but MPI_COMM_NULL gives Communicator::solo(): this process alone.
Communicator communicator_or_solo(MPI_Comm user);

}  // namespace weft::comm
