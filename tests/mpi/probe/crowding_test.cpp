#include "probe/crowding.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <thread>

#include "comm/from_mpi.hpp"
#include "probe/timing.hpp"

namespace weft::probe {
namespace {

TEST(ProbeCrowding, CrowdingCountsThreadsOnACore) {
  const auto comm = comm::communicator_of(MPI_COMM_WORLD);
  const auto cores = static_cast<double>(sysconf(_SC_NPROCESSORS_ONLN));
  for (const int threads : {1, 2}) {
    const double least = 0.8 * std::max(1.0, comm.size() * threads / cores);
    // Ranks that begin early or late get more than their share of a core. Other work may delay some
    // ranks, but not in each of many measurements. All ranks have the same results.
    double most = 0;
    for (int k = 0; k < 20 && most <= least; ++k)
      most = std::max(most, crowding(comm, threads, 0.1));
    EXPECT_GT(most, least) << threads << " threads";
  }
}

TEST(ProbeCrowding, WaitingCountsNoProcessorTime) {
  const auto comm = comm::communicator_of(MPI_COMM_WORLD);
  const double nap_s = 0.01;
  const auto nap = [nap_s] { std::this_thread::sleep_for(std::chrono::duration<double>(nap_s)); };
  Timing passes(comm, 0.05);
  EXPECT_GE(passes.seconds("nap", 1, nap), nap_s);
  Timing computes(comm, 0.05);
  computes.count_processor_time(2, 1);
  EXPECT_LT(computes.seconds("nap", 1, nap), nap_s / 2);
}

TEST(ProbeCrowding, ProcessorTimeIsMultiplied) {
  const auto comm = comm::communicator_of(MPI_COMM_WORLD);
  const double work_s = 0.01;
  const auto work = [work_s] {
    for (const double begin = processor_s(); processor_s() - begin < work_s;) {
    }
  };
  Timing timing(comm, 0.1);
  timing.count_processor_time(3, 1);
  EXPECT_GE(timing.seconds("work", 1, work), 3 * work_s);
  Timing of_two_threads(comm, 0.1);
  of_two_threads.count_processor_time(3, 2);
  EXPECT_LT(of_two_threads.seconds("work", 1, work), 3 * work_s);
}

}  // namespace
}  // namespace weft::probe
