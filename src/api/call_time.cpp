#include "api/call_time.hpp"

#include <algorithm>
#include <chrono>
#include <cstring>
#include <vector>

#include "api/handle.hpp"
#include "base/memory.hpp"
#include "model/cost.hpp"

namespace weft::api {
namespace {

constexpr std::int64_t points = 8;  ///< along each axis
constexpr int calls = 50;
constexpr int rounds = 9;

/// Returns the median time of a call, on all ranks of one node.
double median_seconds(Handle& fft, void* in, void* out) {
  using Clock = std::chrono::steady_clock;
  std::vector<double> seconds;
  for (int i = 0; i < rounds; ++i) {
    fft.comm().barrier();
    const auto start = Clock::now();
    for (int call = 0; call < calls; ++call) fft.execute(Direction::forward, in, out);
    const std::chrono::duration<double> taken = Clock::now() - start;
    seconds.push_back(fft.comm().max(taken.count()) / calls);
  }
  std::nth_element(seconds.begin(), seconds.begin() + rounds / 2, seconds.end());
  return seconds[rounds / 2];
}

}  // namespace

void measure_call(Machine& machine, const comm::Communicator& comm, int threads) {
  const comm::Communicator node = comm.node_group();
  Problem problem{.shape = {points, points, points}};
  problem.threads = threads;
  Handle fft(problem, {.planning = {.plan_by = PlanBy::fixed_rule}}, node);
  const AlignedBuffer in(points * points * points * complex_bytes(problem.precision));
  const AlignedBuffer out(in.size());
  std::memset(in.data(), 0, static_cast<std::size_t>(in.size()));
  const double seconds = median_seconds(fft, in.data(), out.data());
  machine.call_s = 0;
  const double known_s = model::cost(fft.plan(), machine).seconds();
  machine.call_s = comm.max(std::max(0.0, seconds - known_s));
}

}  // namespace weft::api
