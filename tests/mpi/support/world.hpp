#pragma once

#include <mpi.h>

#include "comm/from_mpi.hpp"

namespace weft::test_support {

inline const MPI_Comm world = MPI_COMM_WORLD;

/// Returns all ranks of the test.
inline comm::Communicator all_ranks() { return comm::communicator_of(world); }

}  // namespace weft::test_support
