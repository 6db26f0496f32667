#include "comm/end_all_ranks.hpp"

#include <cstdio>
#include <cstdlib>

#include "comm/environment.hpp"
#include "comm/mpi.hpp"

namespace weft::comm {

void end_all_ranks(int rank, const std::string& why) {
  std::fprintf(stderr, "weft: rank %d: %s; ending all ranks\n", rank, why.c_str());
  std::fflush(stderr);
  if (is_running()) MPI_Abort(MPI_COMM_WORLD, 1);
  std::abort();
}

}  // namespace weft::comm
