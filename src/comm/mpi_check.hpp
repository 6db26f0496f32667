#pragma once

#include "comm/mpi.hpp"

namespace weft::comm {

/// Throws Error(mpi_failure) with the call, MPI's reason and the peer (if any) unless `code` is
/// MPI_SUCCESS. Communicators of weft return their errors, so every return code is checked by this
/// function.
void check_mpi(int code, const char* call, int peer = -1);

}  // namespace weft::comm
