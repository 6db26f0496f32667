#pragma once

#include "comm/communicator.hpp"
#include "comm/mpi.hpp"

// Apart from communicator.hpp, so that its many users compile without <mpi.h> and alike for every MPI.

namespace weft::comm {

/// The group of `user`. Collective over `user` the first time, when it is duplicated; local from
/// then on. A communicator of one rank gives Communicator::solo().
/// Errors  Error(invalid_argument): MPI not initialised or already finalised, MPI_COMM_NULL
///         or an inter-communicator.
Communicator communicator_of(MPI_Comm user);

}  // namespace weft::comm
