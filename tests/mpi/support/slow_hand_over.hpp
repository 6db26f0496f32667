#pragma once

#include <mpi.h>

#include <thread>

namespace weft {

constexpr const char* slow = "left out: with MPICH, ranks that share cores would take minutes";

/// Returns whether ranks share cores under MPICH. MPICH switches between ranks on a core slowly: a
/// test of a second with Open MPI takes minutes. Long tests then have fewer cases, or are left out.
inline bool ranks_share_cores_slowly() {
#ifdef MPICH_VERSION
  int ranks = 0;
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  return ranks > static_cast<int>(std::thread::hardware_concurrency());
#else
  return false;
#endif
}

}  // namespace weft
