#include "probe/timing.hpp"

#include <algorithm>
#include <cmath>

#include "base/clock.hpp"
#include "probe/crowding.hpp"

namespace weft::probe {
namespace {

constexpr std::int64_t fewest_rounds = 3;
constexpr std::int64_t most_rounds = 31;

}  // namespace

Timing::Timing(const comm::Communicator& comm, double budget_s)
    : comm_(comm), left_s_(budget_s), each_s_(budget_s) {}

void Timing::share_among(int measurements) { each_s_ = left_s_ / std::max(1, measurements); }

void Timing::load_links(double seconds) {
  shortest_round_s_ = seconds;
  loads_links_first_ = true;
}

void Timing::count_processor_time(double crowding, int threads) {
  crowding_ = crowding;
  threads_ = threads;
}

bool Timing::affords(double seconds) const {
  return comm_.broadcast_value(std::int64_t{left_s_ >= seconds}, 0) != 0;
}

double Timing::prepare(const std::function<void()>& work) {
  const double begin = now_s();
  work();
  const double spent = now_s() - begin;
  left_s_ = std::max(0.0, left_s_ - spent);
  return spent;
}

double Timing::round_s(const std::function<void()>& work, std::int64_t repetitions) const {
  comm_.barrier();
  if (crowding_ > 0) return crowded_round_s(work, repetitions);
  const double start = now_s();
  for (std::int64_t i = 0; i < repetitions; ++i) work();
  return comm_.max(now_s() - start) / static_cast<double>(repetitions);
}

/// Returns the mean of the ranks, because the slowest rank of a round has just lost its core to
/// another.
double Timing::crowded_round_s(const std::function<void()>& work, std::int64_t repetitions) const {
  work();  // the previous user of the core has filled its caches
  const double start = processor_s();
  for (std::int64_t i = 0; i < repetitions; ++i) work();
  const double had_s = comm_.sum(processor_s() - start) / static_cast<double>(comm_.size());
  return had_s * crowding_ / (threads_ * static_cast<double>(repetitions));
}

/// Ends early after rounds that take long: short work may take many times longer when links are
/// busy and a switch drops messages.
bool Timing::needs_another_round(const std::vector<double>& found, std::int64_t rounds,
                                 double spent_s, double most_s, std::int64_t repetitions) const {
  const auto done = static_cast<std::int64_t>(found.size());
  const double last_s = found.back() * static_cast<double>(repetitions);
  const bool may_end = done >= fewest_rounds || last_s > most_s;
  return comm_.broadcast_value(std::int64_t{done < rounds && !(may_end && spent_s > most_s)}, 0) !=
         0;
}

Sample Timing::visit(const Work& work, double most_s) {
  const double begin = now_s();
  work.run();
  const double once = round_s(work.run, 1);
  const auto repetitions = comm_.broadcast_value(
      static_cast<std::int64_t>(std::clamp(std::ceil(shortest_round_s_ / once), 1.0, 1e5)), 0);
  const double fitting = most_s / (once * static_cast<double>(repetitions));
  const auto rounds =
      comm_.broadcast_value(std::clamp(static_cast<std::int64_t>(fitting),
                                       once > most_s ? 1 : fewest_rounds, most_rounds),
                            0);
  if (loads_links_first_ && repetitions > 1) round_s(work.run, repetitions);
  std::vector<double> found;
  do {
    found.push_back(round_s(work.run, repetitions));
  } while (needs_another_round(found, rounds, now_s() - begin, most_s, repetitions));
  std::sort(found.begin(), found.end());
  const double median = found[found.size() / 2];
  const double half = found[found.size() * 3 / 4] - found[found.size() / 4];
  left_s_ = std::max(0.0, left_s_ - (now_s() - begin));
  return {work.series, work.x, median / work.pieces, half / 2 / median};
}

double Timing::seconds(const std::string& series, double x, const std::function<void()>& work) {
  samples_.push_back(visit({series, x, work}, each_s_));
  return samples_.back().seconds;
}

std::vector<double> Timing::seconds_in_turn(const std::vector<Work>& works, int visits) {
  share_among(visits * static_cast<int>(works.size()));
  std::vector<std::vector<Sample>> found(works.size());
  for (int i = 0; i < visits; ++i) {
    if (i > 0 && !affords(1e-9)) break;
    for (std::size_t j = 0; j < works.size(); ++j) found[j].push_back(visit(works[j], each_s_));
  }
  std::vector<double> seconds;
  for (const std::vector<Sample>& visited : found) {
    samples_.push_back(*std::min_element(
        visited.begin(), visited.end(),
        [](const Sample& one, const Sample& other) { return one.seconds < other.seconds; }));
    seconds.push_back(samples_.back().seconds);
  }
  return seconds;
}

}  // namespace weft::probe
