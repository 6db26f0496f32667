#include "comm/end_all_ranks.hpp"

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <thread>

#include "comm/environment.hpp"
#include "comm/mpi.hpp"

namespace weft::comm {

namespace {

/// Launchers end all ranks of a job as soon as one rank aborts, and drop the output that they have
/// not read yet. No call reports that the message has been read. So the program waits for
/// this time.
constexpr std::chrono::milliseconds time_to_pass_on_the_message{300};

}  // namespace

void end_all_ranks(int rank, const std::string& why) {
  std::fprintf(stderr, "weft: rank %d: %s; ending all ranks\n", rank, why.c_str());
  std::fflush(stderr);
  std::this_thread::sleep_for(time_to_pass_on_the_message);
  if (is_running()) MPI_Abort(MPI_COMM_WORLD, 1);
  std::abort();
}

}  // namespace weft::comm
