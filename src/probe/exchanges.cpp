#include "probe/exchanges.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <map>
#include <memory>
#include <string>

#include "base/memory.hpp"
#include "exchange/exchange.hpp"
#include "model/exchange_cost.hpp"
#include "probe/fit.hpp"

namespace weft::probe {
namespace {

constexpr std::int64_t element_bytes = 16;
/// The least slowdown of an exchange of all nodes, relative to pairs alone. If the measured
/// slowdown is below 1, the links were faster than their rate after a pause.
constexpr double least_factor = 1;
/// A measurement runs its work to warm up, to estimate its time, to bring links to their rate, and
/// to measure. The expected time of a run is scaled from shorter messages. If only the longer
/// messages block, it is several times too short.
constexpr double runs_of_a_measurement = 4;

Exchange messages(Schedule schedule) {
  Exchange choices;
  choices.method = Method::messages;
  choices.wire_form = WireForm::packed;
  choices.schedule = schedule;
  choices.requests = Requests::ordinary;
  choices.nodes = NodeUse::unaware;
  choices.chunks = 1;
  return choices;
}

Exchange collective() {
  Exchange choices = messages(Schedule::automatic);
  choices.method = Method::collective;
  choices.requests = Requests::automatic;
  return choices;
}

/// An exchange in which every rank of a group sends the same number of bytes to every other.
class AllWithAll {
 public:
  AllWithAll(const Exchange& choices, const comm::Communicator& group, std::int64_t bytes)
      : executor_(nullptr) {
    const std::int64_t ranks = group.size();
    if (ranks < 2) return;
    const Shape shape{ranks, ranks, std::max<std::int64_t>(1, bytes / element_bytes)};
    exchange::ExchangeEndpoint side;
    side.from = Layout::grid(shape, {ranks, 1, 1});
    side.to = Layout::grid(shape, {1, ranks, 1});
    side.rank = group.rank();
    side.element_bytes = element_bytes;
    side.recv_buffer = 1;
    side.keep_own_block = true;
    const exchange::BufferNeeds needs = exchange::buffer_needs(choices, side);
    send_ = zeros(needs.send_elements);
    receive_ = zeros(needs.recv_elements);
    executor_ = exchange::make_executor(choices, side, {group});
  }

  void operator()() {
    if (!executor_) return;
    executor_->start(0, send_->data(), receive_->data());
    executor_->finish();
  }

 private:
  static std::unique_ptr<AlignedBuffer> zeros(std::int64_t elements) {
    auto buffer = std::make_unique<AlignedBuffer>(elements * element_bytes);
    std::memset(buffer->data(), 0, static_cast<std::size_t>(buffer->size()));
    return buffer;
  }

  std::unique_ptr<AlignedBuffer> send_;
  std::unique_ptr<AlignedBuffer> receive_;
  std::unique_ptr<exchange::Executor> executor_;
};

/// Ranks that exchange, each on its own node, and their measurements so far.
struct RankGroup {
  comm::Communicator ranks;
  std::int64_t nodes = 0;  ///< the last group of neighbouring nodes may have fewer
  std::vector<MessageTime> times;
};

class ExchangeTimings {
 public:
  ExchangeTimings(Timing& timing, const comm::Communicator& comm, const ProbedRanks& placement,
                  const Machine& machine)
      : timing_(timing), placement_(placement), machine_(machine) {
    const bool first = comm.rank() % placement.ranks_per_node == 0;
    const std::int64_t node = comm.rank() / placement.ranks_per_node;
    const auto add_groups_of = [&](std::int64_t nodes) {
      // Ranks that are not the first of their node form a group without work.
      groups_.push_back({comm.subset(first ? node / nodes : -1 - comm.rank()), nodes, {}});
    };
    for (std::int64_t nodes = 2; nodes < placement.nodes; nodes *= 2) add_groups_of(nodes);
    add_groups_of(placement.nodes);
  }

  /// Measures lengths in ascending order, as far as the time allows.
  Exchanges over(const std::vector<std::int64_t>& lengths) {
    Exchanges found;
    measured_ = 1;
    for (std::size_t i = 0; i < lengths.size() && measured_ > 0; ++i) {
      timing_.share_among(static_cast<int>((lengths.size() - i) * (groups_.size() + 3)));
      measured_ = 0;
      measure(lengths[i], found);
    }
    for (const RankGroup& group : groups_) add_calls(group, found.all_to_all);
    for (const auto& [series, last] : last_)
      if (last.bytes < static_cast<double>(lengths.back()))
        found.assumed.push_back(series + " beyond " + std::to_string(std::llround(last.bytes)) +
                                " bytes");
    return found;
  }

 private:
  /// Adds a linear piece from each length to the next. At the length at which a switch begins to
  /// drop messages, the time jumps and no line fits both sides. A single length gives a line
  /// through the origin.
  static void add_calls(const RankGroup& group, std::vector<AllToAll>& found) {
    constexpr double least_slope = 1e-15;
    if (group.times.size() == 1)
      found.push_back({group.nodes, 0, 0, group.times[0].seconds / group.times[0].bytes});
    for (std::size_t i = 0; i + 1 < group.times.size(); ++i) {
      const MessageTime& from = group.times[i];
      const MessageTime& to = group.times[i + 1];
      const double slope =
          std::max(least_slope, (to.seconds - from.seconds) / (to.bytes - from.bytes));
      found.push_back({group.nodes, i == 0 ? 0 : std::llround(from.bytes),
                       from.seconds - slope * from.bytes, slope});
    }
  }

  /// Measures pairs first, because the time may not suffice for all schedules. If the other
  /// schedules block, pairs are the fastest, so their time limits the loss by a wrong choice.
  void measure(std::int64_t bytes, Exchanges& found) {
    const auto by = [&](Schedule schedule) {
      const std::string series = std::string("exchange ") + to_string(schedule);
      const Exchange choices = messages(schedule);
      return factor(seconds_of(series, choices, groups_.back(), bytes), choices, bytes);
    };
    Blocking blocking{bytes};
    blocking.pairwise = by(Schedule::pairwise);
    for (auto group = groups_.rbegin(); group != groups_.rend(); ++group) {
      const std::string series = "all-to-all of " + std::to_string(group->nodes) + " nodes";
      const double seconds = seconds_of(series, collective(), *group, bytes);
      if (group == groups_.rbegin()) blocking.collective = factor(seconds, collective(), bytes);
      if (last_[series].bytes == static_cast<double>(bytes)) group->times.push_back(last_[series]);
    }
    blocking.cyclic = by(Schedule::cyclic);
    blocking.scattered = by(Schedule::scattered);
    if (measured_ > 0) found.blocking.push_back(blocking);
  }

  /// Returns the time of an exchange. If there is no time for a measurement, scales the time of the
  /// previous length by bytes.
  double seconds_of(const std::string& series, const Exchange& choices, const RankGroup& group,
                    std::int64_t bytes) {
    MessageTime& last = last_[series];
    const auto size = static_cast<double>(bytes);
    const double expected_s = last.bytes > 0 ? last.seconds * size / last.bytes : 0;
    if (!timing_.affords(runs_of_a_measurement * expected_s)) return expected_s;
    AllWithAll exchange(choices, group.ranks, bytes);
    last = {size, timing_.seconds(series, size, [&] { exchange(); })};
    measured_ += &group == &groups_.back();
    return last.seconds;
  }

  /// Returns the slowdown of an exchange relative to the model's time of pairs alone.
  double factor(double seconds, const Exchange& choices, std::int64_t bytes) const {
    const Link& link = machine_.between_nodes;
    const auto size = static_cast<double>(bytes);
    const auto others = static_cast<double>(placement_.nodes - 1);
    const double starts_s = model::starts_seconds(link, size, choices, others, machine_);
    return std::max(least_factor,
                    (seconds - starts_s) / (others * model::wire_seconds(link, size)));
  }

  Timing& timing_;
  const ProbedRanks placement_;
  const Machine& machine_;
  std::vector<RankGroup> groups_;
  std::map<std::string, MessageTime> last_;
  int measured_ = 0;  ///< measurements of the current length among all nodes
};

}  // namespace

Exchanges measure_exchanges(Timing& timing, const Extent& extent, const comm::Communicator& comm,
                            const ProbedRanks& placement, const Machine& machine) {
  if (placement.nodes < 2) return {};
  timing.load_links(extent.link_round_s);
  return ExchangeTimings(timing, comm, placement, machine).over(extent.exchange_bytes);
}

}  // namespace weft::probe
