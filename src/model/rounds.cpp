#include "model/rounds.hpp"

#include <algorithm>
#include <cmath>
#include <memory>
#include <string>
#include <utility>

#include <weft/error.hpp>

#include "model/dragonfly.hpp"
#include "model/fat_tree.hpp"
#include "model/torus_axis.hpp"
#include "plan/schedule.hpp"

namespace weft::model {
namespace {

/// The links between nodes during one round.
class Links {
 public:
  Links() = default;
  Links(const Links&) = delete;
  Links& operator=(const Links&) = delete;
  virtual ~Links() = default;
  /// Adds a message between two different nodes.
  virtual void send(std::int64_t from, std::int64_t to) = 0;
  virtual BusiestLink busiest() const = 0;
  virtual void clear() = 0;
};

/// A medium that all messages share: the switch of a crossbar, or a hub.
class OneMedium : public Links {
 public:
  OneMedium(double capacity, std::string name) : capacity_(capacity), name_(std::move(name)) {}
  void send(std::int64_t, std::int64_t) override { messages_ += 1; }
  BusiestLink busiest() const override { return {messages_ / capacity_, name_}; }
  void clear() override { messages_ = 0; }

 private:
  double capacity_;
  std::string name_;
  double messages_ = 0;
};

/// Counts of messages that begin and that end at each place.
class RoundEnds {
 public:
  explicit RoundEnds(std::int64_t places)
      : out_(static_cast<std::size_t>(places)), in_(static_cast<std::size_t>(places)) {}

  void send(std::int64_t from, std::int64_t to) {
    out_[static_cast<std::size_t>(from)] += 1;
    in_[static_cast<std::size_t>(to)] += 1;
  }
  /// Returns the place with the most messages in one direction, and their number.
  std::pair<std::int64_t, double> busiest() const {
    const auto out = std::max_element(out_.begin(), out_.end());
    const auto in = std::max_element(in_.begin(), in_.end());
    if (*in > *out) return {in - in_.begin(), *in};
    return {out - out_.begin(), *out};
  }
  void clear() {
    std::fill(out_.begin(), out_.end(), 0.0);
    std::fill(in_.begin(), in_.end(), 0.0);
  }

 private:
  std::vector<double> out_;
  std::vector<double> in_;
};

/// The links above the switches of each level.
class FatTreeLinks : public Links {
 public:
  explicit FatTreeLinks(const Topology& topology) : levels_(uplinks_of(topology)) {
    for (const Uplinks& level : levels_) loads_.emplace_back(level.places());
  }
  void send(std::int64_t from, std::int64_t to) override {
    for (std::size_t i = 0; i < levels_.size(); ++i) {
      const Uplinks& level = levels_[i];
      if (from / level.below == to / level.below) return;
      loads_[i].send(level.place(from, to), level.place(to, to));
    }
  }
  BusiestLink busiest() const override {
    BusiestLink found;
    for (std::size_t i = 0; i < levels_.size(); ++i) {
      const auto [place, load] = loads_[i].busiest();
      found = busier(found, {load / levels_[i].capacity, levels_[i].name(place)});
    }
    return found;
  }
  void clear() override {
    for (RoundEnds& level : loads_) level.clear();
  }

 private:
  std::vector<Uplinks> levels_;
  std::vector<RoundEnds> loads_;
};

class TorusLinks : public Links {
 public:
  explicit TorusLinks(const Topology& topology)
      : capacity_(topology.link), axes_(axes_of_torus(topology)) {
    places_.reserve(static_cast<std::size_t>(topology.nodes) * axes_.size());
    for (std::int64_t node = 0; node < topology.nodes; ++node)
      for (const TorusAxis& axis : axes_) places_.push_back(node / axis.stride() % axis.extent());
  }
  void send(std::int64_t from, std::int64_t to) override {
    const std::int64_t* a = places_of(from);
    const std::int64_t* b = places_of(to);
    std::int64_t at = from;
    for (TorusAxis& axis : axes_) {
      axis.send(at - *a * axis.stride(), *a, *b, 1);
      at += (*b++ - *a++) * axis.stride();
    }
  }
  BusiestLink busiest() const override { return busiest_of(axes_, capacity_); }
  void clear() override {
    for (TorusAxis& axis : axes_) axis.clear();
  }

 private:
  const std::int64_t* places_of(std::int64_t node) const {
    return places_.data() + static_cast<std::size_t>(node) * axes_.size();
  }

  double capacity_;
  std::vector<TorusAxis> axes_;
  std::vector<std::int64_t> places_;  ///< the place of each node on each axis
};

class DragonflyLinks : public Links {
 public:
  explicit DragonflyLinks(const Topology& topology)
      : nodes_per_switch_(topology.nodes_per_switch), network_(topology) {}
  void send(std::int64_t from, std::int64_t to) override {
    network_.send(from / nodes_per_switch_, to / nodes_per_switch_, 1);
  }
  BusiestLink busiest() const override { return network_.busiest(); }
  void clear() override { network_.clear(); }

 private:
  std::int64_t nodes_per_switch_;
  Dragonfly network_;
};

/// Returns the links of the network. Returns null if every pair of nodes has a link of its own.
std::unique_ptr<Links> links_of(const Topology& topology) {
  switch (topology.network) {
    case Network::crossbar:
      if (topology.bisection == 0) return nullptr;
      return std::make_unique<OneMedium>(topology.bisection, "the switch");
    case Network::hub:
      return std::make_unique<OneMedium>(1, "the hub");
    case Network::fat_tree:
      return std::make_unique<FatTreeLinks>(topology);
    case Network::torus:
      return std::make_unique<TorusLinks>(topology);
    case Network::dragonfly:
      return std::make_unique<DragonflyLinks>(topology);
  }
  throw Error(ErrorCode::internal, "unknown links of a network");
}

std::int64_t rounds_of(Schedule schedule, std::int64_t ranks) {
  if (ranks < 2) return 0;  // ranks without data form an empty group
  switch (schedule) {
    case Schedule::cyclic:
      return ranks - 1;
    case Schedule::pairwise:
      return pairwise_rounds(ranks);
    case Schedule::scattered:
    case Schedule::automatic:
      break;
  }
  throw Error(ErrorCode::internal, std::string("no rounds of the schedule ") + to_string(schedule));
}

/// Returns the index to which a rank of a group sends in a round. If it is the rank's own index,
/// the rank is idle.
std::int64_t receiver(Schedule schedule, std::int64_t round, std::int64_t index,
                      std::int64_t ranks) {
  switch (schedule) {
    case Schedule::cyclic:
      return (index + round + 1) % ranks;
    case Schedule::pairwise:
      return pairwise_partner(round, index, ranks);
    case Schedule::scattered:
    case Schedule::automatic:
      break;
  }
  throw Error(ErrorCode::internal, std::string("no rounds of the schedule ") + to_string(schedule));
}

/// Counts the loads of one round after the other on the same links.
class Rounds {
 public:
  Rounds(const Topology& topology, Schedule schedule,
         std::span<const std::vector<std::int64_t>> groups, std::span<const std::int64_t> node_of)
      : schedule_(schedule),
        groups_(groups),
        node_of_(node_of),
        has_node_links_(topology.network != Network::hub),
        least_load_(topology.network == Network::torus ? 1 / topology.link : 1),
        nodes_(topology.nodes),
        links_(links_of(topology)) {}

  BusiestLink busiest(std::int64_t round) {
    send_all(round);
    BusiestLink found;
    if (has_node_links_) {
      const auto [node, load] = nodes_.busiest();
      found = {load, "the link of node " + std::to_string(node)};
    }
    // On a torus a node's rate is the sum over its links, but a message uses only one of them.
    if (found.load > 0) found.load = std::max(found.load, least_load_);
    if (links_) found = busier(found, links_->busiest());
    nodes_.clear();
    if (links_) links_->clear();
    return found;
  }

 private:
  void send_all(std::int64_t round) {
    for (const std::vector<std::int64_t>& group : groups_) {
      const auto ranks = static_cast<std::int64_t>(group.size());
      if (round >= rounds_of(schedule_, ranks)) continue;
      for (std::int64_t index = 0; index < ranks; ++index)
        send(group[static_cast<std::size_t>(index)],
             group[static_cast<std::size_t>(receiver(schedule_, round, index, ranks))]);
    }
  }
  void send(std::int64_t rank, std::int64_t other) {
    const std::int64_t from = node_of_[static_cast<std::size_t>(rank)];
    const std::int64_t to = node_of_[static_cast<std::size_t>(other)];
    if (from == to) return;
    nodes_.send(from, to);
    if (links_) links_->send(from, to);
  }

  Schedule schedule_;
  std::span<const std::vector<std::int64_t>> groups_;
  std::span<const std::int64_t> node_of_;
  bool has_node_links_;
  double least_load_;
  RoundEnds nodes_;
  std::unique_ptr<Links> links_;
};

/// Cuts the rounds into `count` stretches, and returns one round of each. Networks and schedules
/// are periodic, so a fixed step would pick only similar rounds. So the golden ratio decides the
/// place within each stretch.
std::vector<std::int64_t> sample(std::int64_t rounds, std::int64_t count) {
  constexpr double golden = 0.6180339887498949;
  std::vector<std::int64_t> found;
  for (std::int64_t i = 0; i < count; ++i) {
    const std::int64_t begin = rounds * i / count;
    const std::int64_t size = rounds * (i + 1) / count - begin;
    const double turn = golden * static_cast<double>(i + 1);
    found.push_back(
        begin + static_cast<std::int64_t>(static_cast<double>(size) * (turn - std::floor(turn))));
  }
  return found;
}

}  // namespace

BusiestLink busiest_by_rounds(const Topology& topology, Schedule schedule,
                              std::span<const std::vector<std::int64_t>> groups,
                              std::span<const std::int64_t> node_of) {
  std::int64_t ranks = 0;
  std::int64_t rounds = 0;
  for (const auto& group : groups) {
    const auto size = static_cast<std::int64_t>(group.size());
    ranks += size;
    rounds = std::max(rounds, rounds_of(schedule, size));
  }
  if (rounds == 0 || ranks > static_cast<std::int64_t>(node_of.size())) return {};
  const std::int64_t most = std::max(least_rounds_looked_at, most_messages_in_rounds / ranks);
  const std::int64_t count = std::min(rounds, most);
  Rounds one(topology, schedule, groups, node_of);
  BusiestLink worst;
  double sum = 0;
  for (const std::int64_t round : sample(rounds, count)) {
    const BusiestLink busiest = one.busiest(round);
    sum += busiest.load;
    worst = busier(worst, busiest);
  }
  return {sum * static_cast<double>(rounds) / static_cast<double>(count), worst.name};
}

}  // namespace weft::model
