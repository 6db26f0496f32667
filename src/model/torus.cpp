#include "model/torus.hpp"

#include <algorithm>
#include <optional>
#include <utility>

namespace weft::model {
namespace {

/// Ranks of a group by where they are, or where their shadow falls; places in ascending order.
using Ranks = std::vector<std::pair<std::int64_t, double>>;

/// Joins what has the same place.
Ranks joined(Ranks ranks) {
  std::sort(ranks.begin(), ranks.end());
  Ranks found;
  for (const auto& [place, count] : ranks) {
    if (found.empty() || found.back().first != place) found.emplace_back(place, 0);
    found.back().second += count;
  }
  return found;
}

template <class Place>
Ranks shadow(const Ranks& group, Place&& place) {
  Ranks ranks;
  ranks.reserve(group.size());
  for (const auto& [node, count] : group) ranks.emplace_back(place(node), count);
  return joined(std::move(ranks));
}

/// Loads of the links along one axis, both ways. Messages along stretches of a line are noted where
/// they begin and end, and summed up in the end.
class Axis {
 public:
  Axis(std::int64_t nodes, std::int64_t extent, std::int64_t stride, bool ring)
      : extent_(extent),
        stride_(stride),
        ring_(ring),
        forward_(static_cast<std::size_t>(nodes)),
        backward_(static_cast<std::size_t>(nodes)) {}

  /// Messages from place a to place b of the line that node `line` lies on at place 0.
  void send(std::int64_t line, std::int64_t a, std::int64_t b, double messages) {
    if (a == b) return;
    if (!ring_) {
      a < b ? pass(forward_, line, a, b, messages) : pass(backward_, line, b, a, messages);
      return;
    }
    const std::int64_t ahead = (b - a + extent_) % extent_;
    const double share = 2 * ahead == extent_ ? 0.5 : 1;
    if (2 * ahead <= extent_) pass_around(forward_, line, a, b, messages * share);
    if (2 * ahead >= extent_) pass_around(backward_, line, b, a, messages * share);
  }

  /// All loads of an axis with one line, so many times, on the line that node `line` lies on.
  void add(const Axis& one_line, std::int64_t line, double times) {
    for (std::int64_t place = 0; place < extent_; ++place) {
      const auto node = static_cast<std::size_t>(line + place * stride_);
      forward_[node] += times * one_line.forward_[static_cast<std::size_t>(place)];
      backward_[node] += times * one_line.backward_[static_cast<std::size_t>(place)];
    }
  }

  BusiestLink busiest(double capacity, std::size_t number) const {
    BusiestLink found;
    for (const bool ahead : {true, false})
      look_through(ahead ? forward_ : backward_, capacity,
                   "axis " + std::to_string(number) + (ahead ? ", forward" : ", backward"), found);
    return found;
  }

 private:
  void pass(std::vector<double>& changes, std::int64_t line, std::int64_t from, std::int64_t to,
            double messages) {
    changes[static_cast<std::size_t>(line + from * stride_)] += messages;
    if (to < extent_) changes[static_cast<std::size_t>(line + to * stride_)] -= messages;
  }

  /// From `from` ahead to `to`, over the end of the line where `to` lies before.
  void pass_around(std::vector<double>& changes, std::int64_t line, std::int64_t from,
                   std::int64_t to, double messages) {
    if (from < to) return pass(changes, line, from, to, messages);
    pass(changes, line, from, extent_, messages);
    if (to > 0) pass(changes, line, 0, to, messages);
  }

  void look_through(const std::vector<double>& changes, double capacity, const std::string& name,
                    BusiestLink& found) const {
    const auto nodes = static_cast<std::int64_t>(changes.size());
    for (std::int64_t line = 0; line < nodes; ++line) {
      if (line / stride_ % extent_ != 0) continue;
      double load = 0;
      for (std::int64_t place = 0; place < extent_; ++place) {
        const std::int64_t node = line + place * stride_;
        load += changes[static_cast<std::size_t>(node)];
        if (load / capacity > found.load)
          found = {load / capacity, name + ", at node " + std::to_string(node)};
      }
    }
  }

  std::int64_t extent_;
  std::int64_t stride_;
  bool ring_;
  std::vector<double> forward_;   ///< at a node: messages over the link to the next one begin
  std::vector<double> backward_;  ///< likewise, from the next one to this
};

/// Messages go along axis 0 first, then along axis 1, ... While they go along one axis, those before
/// it are the receiver's and those behind it are the sender's, so that a group need not be looked
/// at pair by pair: its shadows on both sets of axes suffice.
void add_group(const Topology& torus, std::span<const std::int64_t> nodes,
               std::vector<Axis>& axes) {
  Ranks ranks;
  for (const std::int64_t node : nodes) ranks.emplace_back(node, 1);
  const Ranks group = joined(std::move(ranks));
  std::int64_t stride = torus.nodes;
  for (std::size_t axis = 0; axis < axes.size(); ++axis) {
    const std::int64_t extent = torus.extents[axis];
    const std::int64_t period = stride;  // nodes that agree in all axes before this one
    stride /= extent;
    // By place on this axis and those behind it; by place on this axis and those before it.
    const Ranks senders = shadow(group, [=](std::int64_t node) { return node % period; });
    const Ranks receivers = shadow(group, [=](std::int64_t node) { return node / stride; });
    for (const auto& [from, sending] : senders)
      for (const auto& [to, receiving] : receivers)
        axes[axis].send(to / extent * period + from % stride, from / stride, to % extent,
                        sending * receiving);
  }
}

/// A group that lies on every combination of some places on each axis, as many ranks on each node.
struct Lattice {
  std::vector<std::vector<std::int64_t>> places;  ///< on each axis, in ascending order
  double on_node = 1;
};

/// Finds lattices; the counts of nodes are kept between groups, for groups are many.
class Lattices {
 public:
  explicit Lattices(const Topology& torus)
      : torus_(torus), ranks_of_(static_cast<std::size_t>(torus.nodes)) {}

  std::optional<Lattice> of(std::span<const std::int64_t> nodes) {
    for (const std::int64_t node : nodes) ++ranks_of_[static_cast<std::size_t>(node)];
    const std::int64_t each = ranks_of_[static_cast<std::size_t>(nodes.front())];
    bool alike = true;
    for (const std::int64_t node : nodes)
      alike = alike && ranks_of_[static_cast<std::size_t>(node)] == each;
    for (const std::int64_t node : nodes) ranks_of_[static_cast<std::size_t>(node)] = 0;
    if (!alike) return {};
    Lattice found{shadows(nodes), static_cast<double>(each)};
    std::int64_t combinations = each;
    for (const auto& places : found.places)
      combinations *= static_cast<std::int64_t>(places.size());
    // The nodes are some of the combinations, so as many are all of them.
    if (combinations != static_cast<std::int64_t>(nodes.size())) return {};
    return found;
  }

 private:
  std::vector<std::vector<std::int64_t>> shadows(std::span<const std::int64_t> nodes) const {
    std::vector<std::vector<std::int64_t>> found;
    std::int64_t stride = torus_.nodes;
    for (const std::int64_t extent : torus_.extents) {
      stride /= extent;
      std::vector<bool> seen(static_cast<std::size_t>(extent));
      for (const std::int64_t node : nodes)
        seen[static_cast<std::size_t>(node / stride % extent)] = true;
      std::vector<std::int64_t>& places = found.emplace_back();
      for (std::int64_t place = 0; place < extent; ++place)
        if (seen[static_cast<std::size_t>(place)]) places.push_back(place);
    }
    return found;
  }

  const Topology& torus_;
  std::vector<std::int64_t> ranks_of_;
};

/// The nodes at place 0 of one axis on all lines of a lattice along it.
std::vector<std::int64_t> lines_along(const Topology& torus, const Lattice& lattice,
                                      std::size_t axis) {
  std::vector<std::int64_t> lines{0};
  std::int64_t stride = torus.nodes;
  for (std::size_t other = 0; other < lattice.places.size(); ++other) {
    stride /= torus.extents[other];
    if (other == axis) continue;
    std::vector<std::int64_t> further;
    for (const std::int64_t line : lines)
      for (const std::int64_t place : lattice.places[other])
        further.push_back(line + place * stride);
    lines = std::move(further);
  }
  return lines;
}

/// As add_group: on each line of a lattice the same messages go, so one line is enough to look at.
void add_lattice(const Topology& torus, const Lattice& lattice, std::vector<Axis>& axes) {
  for (std::size_t axis = 0; axis < axes.size(); ++axis) {
    const std::vector<std::int64_t>& places = lattice.places[axis];
    if (places.size() == 1) continue;
    Axis one_line(torus.extents[axis], torus.extents[axis], 1, torus.rings[axis]);
    for (const std::int64_t from : places)
      for (const std::int64_t to : places) one_line.send(0, from, to, 1);
    const std::vector<std::int64_t> lines = lines_along(torus, lattice, axis);
    // Senders on the lines that begin alike, receivers on those that end alike.
    const double times = lattice.on_node * lattice.on_node * static_cast<double>(lines.size());
    for (const std::int64_t line : lines) axes[axis].add(one_line, line, times);
  }
}

}  // namespace

BusiestLink busiest_torus_link(const Topology& torus,
                               std::span<const std::vector<std::int64_t>> groups,
                               std::span<const std::int64_t> node_of) {
  std::vector<Axis> axes;
  std::int64_t stride = torus.nodes;
  for (std::size_t axis = 0; axis < torus.extents.size(); ++axis) {
    stride /= torus.extents[axis];
    axes.emplace_back(torus.nodes, torus.extents[axis], stride, torus.rings[axis]);
  }
  Lattices lattices(torus);
  std::vector<std::int64_t> nodes;
  for (const auto& group : groups) {
    if (group.empty()) continue;
    nodes.clear();
    for (const std::int64_t rank : group) nodes.push_back(node_of[static_cast<std::size_t>(rank)]);
    if (const auto lattice = lattices.of(nodes))
      add_lattice(torus, *lattice, axes);
    else
      add_group(torus, nodes, axes);
  }
  BusiestLink found;
  for (std::size_t axis = 0; axis < axes.size(); ++axis) {
    const BusiestLink busiest = axes[axis].busiest(torus.link, axis);
    if (busiest.load > found.load) found = busiest;
  }
  return found;
}

}  // namespace weft::model
