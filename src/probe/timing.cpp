#include "probe/timing.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>

namespace weft::probe {
namespace {

/// Below this a round would measure the clock and the barrier.
constexpr double shortest_round_s = 200e-6;
constexpr std::int64_t fewest_rounds = 3;
constexpr std::int64_t most_rounds = 31;

double now_s() {
  const auto now = std::chrono::steady_clock::now().time_since_epoch();
  return std::chrono::duration<double>(now).count();
}

}  // namespace

Timing::Timing(const comm::Communicator& comm, double budget_s)
    : comm_(comm), left_s_(budget_s), each_s_(budget_s) {}

void Timing::share_among(int measurements) { each_s_ = left_s_ / std::max(1, measurements); }

bool Timing::affords(double seconds) const {
  return comm_.broadcast_value(std::int64_t{left_s_ >= seconds}, 0) != 0;
}

double Timing::round_s(const std::function<void()>& work, std::int64_t repetitions) const {
  comm_.barrier();
  const double start = now_s();
  for (std::int64_t i = 0; i < repetitions; ++i) work();
  return comm_.max(now_s() - start) / static_cast<double>(repetitions);
}

double Timing::seconds(const std::string& series, double x, const std::function<void()>& work,
                       double pieces) {
  const double begin = now_s();
  work();
  const double once = round_s(work, 1);
  const auto repetitions = comm_.broadcast_value(
      static_cast<std::int64_t>(std::clamp(std::ceil(shortest_round_s / once), 1.0, 1e5)), 0);
  const double fitting = each_s_ / (once * static_cast<double>(repetitions));
  const auto rounds = comm_.broadcast_value(
      std::clamp(static_cast<std::int64_t>(fitting), once > each_s_ ? 1 : fewest_rounds,
                 most_rounds),
      0);
  std::vector<double> found;
  for (std::int64_t i = 0; i < rounds; ++i) found.push_back(round_s(work, repetitions));
  std::sort(found.begin(), found.end());
  const double median = found[found.size() / 2];
  const double half = found[found.size() * 3 / 4] - found[found.size() / 4];
  samples_.push_back({series, x, median / pieces, half / 2 / median});
  left_s_ = std::max(0.0, left_s_ - (now_s() - begin));
  return median / pieces;
}

}  // namespace weft::probe
