#include "model/torus.hpp"

#include <algorithm>
#include <map>

namespace weft::model {
namespace {

/// Ranks of a group by where their shadow falls.
using Shadow = std::map<std::int64_t, double>;

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
  std::int64_t stride = torus.nodes;
  for (std::size_t axis = 0; axis < axes.size(); ++axis) {
    const std::int64_t extent = torus.extents[axis];
    const std::int64_t period = stride;  // nodes that agree in all axes before this one
    stride /= extent;
    Shadow senders;    // by place on this axis and those behind it
    Shadow receivers;  // by place on this axis and those before it
    for (const std::int64_t node : nodes) {
      senders[node % period] += 1;
      receivers[node / stride] += 1;
    }
    for (const auto& [from, sending] : senders)
      for (const auto& [to, receiving] : receivers)
        axes[axis].send(to / extent * period + from % stride, from / stride, to % extent,
                        sending * receiving);
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
  std::vector<std::int64_t> nodes;
  for (const auto& group : groups) {
    nodes.clear();
    for (const std::int64_t rank : group) nodes.push_back(node_of[static_cast<std::size_t>(rank)]);
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
