#pragma once

#include "comm/mpi.hpp"

namespace weft::comm {

/// Throws Error(mpi_failure) naming the call, MPI's reason and the peer (where there is one) unless
/// `code` is MPI_SUCCESS. Communicators of weft return their errors: every return code ends here.
void check_mpi(int code, const char* call, int peer = -1);

}  // namespace weft::comm
