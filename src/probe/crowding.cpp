#include "probe/crowding.hpp"

#include <algorithm>
#include <chrono>
#include <ctime>

namespace weft::probe {
namespace {

using Clock = std::chrono::steady_clock;

void spin(int threads, std::chrono::duration<double> duration) {
#pragma omp parallel for schedule(static, 1) num_threads(threads)
  for (int thread = 0; thread < threads; ++thread)
    for (const auto begin = Clock::now(); Clock::now() - begin < duration;) {
    }
}

}  // namespace

double processor_s() {
  timespec now{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

double crowding(const comm::Communicator& comm, int threads, double seconds) {
  // Ranks do not begin at the same time; during the measurement all of them compute.
  const std::chrono::duration<double> quarter(seconds / 4);
  comm.barrier();
  spin(threads, quarter);
  const auto begin = Clock::now();
  const double had_before_s = processor_s();
  spin(threads, 2 * quarter);
  const double had_s = processor_s() - had_before_s;
  // The elapsed time is measured, because threads that wait for each other take longer than the
  // given duration.
  const double passed_s = std::chrono::duration<double>(Clock::now() - begin).count();
  spin(threads, quarter);
  return threads * comm.sum(passed_s) / std::max(comm.sum(had_s), 1e-9);
}

}  // namespace weft::probe
