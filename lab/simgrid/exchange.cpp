// Times weft's exchanges on a simulated network by SimGrid's clock.
//
//   smpirun -platform NETWORK -hostfile NODES exchange PLAN.json...
//
// One line for each plan: "exchange" and the seconds of each of its forward exchanges. These last from the common start
// of all ranks until the last rank has received everything.
#include <mpi.h>
#include <time.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <exception>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include <weft/plan.hpp>

#include "base/memory.hpp"
#include "comm/from_mpi.hpp"
#include "exchange/exchange.hpp"
#include "model/element_bytes.hpp"
#include "plan/chunks.hpp"

namespace {

using namespace weft;

constexpr int warm_ups = 1;
/// Long enough for every rank to receive the time of the start before it.
constexpr double moment_ahead_s = 1;

exchange::ExchangeEndpoint side_of(const Plan& plan, std::size_t number, int rank) {
  const Stage& earlier = plan.stages[number];
  const Stage& later = plan.stages[number + 1];
  const Exchange& choices = plan.exchanges[number];
  exchange::ExchangeEndpoint side;
  side.from = earlier.target;
  side.to = later.source;
  side.rank = rank;
  side.narrow = choices.wire == WirePrecision::f32;
  side.element_bytes = model::element_bytes_after(plan, number) / (side.narrow ? 2 : 1);
  side.recv_buffer = 1;
  side.keep_own_block = true;
  if (choices.chunks > 1) {
    const Chunking chunking = chunking_of(earlier, later);
    side.chunk_axis = chunking.axis;
    side.chunks = static_cast<int>(std::min(choices.chunks, slices(chunking, side.from)));
  }
  return side;
}

AlignedBuffer zeros(std::int64_t bytes) {
  AlignedBuffer buffer(bytes);
  if (bytes > 0) std::memset(buffer.data(), 0, static_cast<std::size_t>(bytes));
  return buffer;
}

/// Waits until all ranks start at the same simulated time, which no barrier can do.
void meet(const comm::Communicator& comm) {
  const double left_s = comm.max(MPI_Wtime()) + moment_ahead_s - MPI_Wtime();
  timespec pause{};
  pause.tv_sec = static_cast<time_t>(left_s);
  pause.tv_nsec = std::lround((left_s - std::floor(left_s)) * 1e9);
  nanosleep(&pause, nullptr);  // the nanosleep of SMPI, which advances simulated time
}

double seconds_of(const Plan& plan, std::size_t number, const comm::Communicator& comm) {
  const Exchange& choices = plan.exchanges[number];
  const exchange::ExchangeEndpoint side = side_of(plan, number, comm.rank());
  if (side.from.same_boxes(side.to)) return 0;
  const exchange::BufferNeeds ends = exchange::buffer_needs(choices, side);
  const AlignedBuffer send = zeros(ends.send_elements * side.element_bytes);
  const AlignedBuffer recv = zeros(ends.recv_elements * side.element_bytes);
  const auto executor = exchange::make_executor(choices, side, {comm});
  double seconds = 0;
  for (int run = 0; run <= warm_ups; ++run) {
    meet(comm);
    const double begun = MPI_Wtime();
    for (int chunk = 0; chunk < side.chunks; ++chunk)
      executor->start(chunk, send.data(), recv.data());
    executor->finish();
    seconds = comm.max(MPI_Wtime()) - comm.min(begun);
  }
  return seconds;
}

Plan read_plan(const char* path) {
  std::ifstream file(path);
  std::ostringstream text;
  text << file.rdbuf();
  return plan_from_json(text.str());
}

void simulate(int count, char** paths) {
  const auto comm = comm::communicator_of(MPI_COMM_WORLD);
  for (int i = 0; i < count; ++i) {
    const Plan plan = read_plan(paths[i]);
    std::string line = "exchange";
    for (std::size_t number = 0; number < plan.exchanges.size(); ++number) {
      char seconds[32];
      std::snprintf(seconds, sizeof seconds, " %.9g", seconds_of(plan, number, comm));
      line += seconds;
    }
    if (comm.rank() == 0) std::printf("%s\n", line.c_str());
  }
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int status = 0;
  try {
    simulate(argc - 1, argv + 1);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "exchange: %s\n", error.what());
    status = 1;
    MPI_Abort(MPI_COMM_WORLD, status);
  }
  MPI_Finalize();
  return status;
}
