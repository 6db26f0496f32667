#include "model/torus_axis.hpp"

#include <algorithm>

namespace weft::model {

TorusAxis::TorusAxis(const Topology& torus, std::size_t number, std::int64_t stride)
    : extent_(torus.extents[number]),
      stride_(stride),
      ring_(torus.rings[number]),
      ahead_(torus.ties_forward ? 1 : 0.5) {}

void TorusAxis::send(std::int64_t line, std::int64_t a, std::int64_t b, double messages) {
  if (a == b) return;
  reach(line);
  if (!ring_) {
    a < b ? pass(forward_, line, a, b, messages) : pass(backward_, line, b, a, messages);
    return;
  }
  const std::int64_t way = b > a ? b - a : b - a + extent_;
  const double forward = 2 * way == extent_ ? ahead_ : (2 * way < extent_ ? 1 : 0);
  if (forward > 0) pass_around(forward_, line, a, b, messages * forward);
  if (forward < 1) pass_around(backward_, line, b, a, messages * (1 - forward));
}

void TorusAxis::add(const TorusAxis& one_line, std::int64_t line, double times) {
  if (one_line.forward_.empty()) return;
  reach(line);
  for (std::int64_t place = 0; place < extent_; ++place) {
    const auto node = static_cast<std::size_t>(line + place * stride_);
    forward_[node] += times * one_line.forward_[static_cast<std::size_t>(place)];
    backward_[node] += times * one_line.backward_[static_cast<std::size_t>(place)];
  }
}

void TorusAxis::clear() {
  std::fill(forward_.begin(), forward_.end(), 0.0);
  std::fill(backward_.begin(), backward_.end(), 0.0);
}

BusiestLink TorusAxis::busiest(double capacity, std::size_t number) const {
  BusiestLink found;
  for (const bool ahead : {true, false})
    look_through(ahead ? forward_ : backward_, capacity,
                 "axis " + std::to_string(number) + (ahead ? ", forward" : ", backward"), found);
  return found;
}

/// The nodes of `stride_` lines are interleaved, so the counts grow by `stride_` lines at once.
void TorusAxis::reach(std::int64_t line) {
  if (line < static_cast<std::int64_t>(forward_.size())) return;
  const std::int64_t block = extent_ * stride_;
  const auto nodes = static_cast<std::size_t>((line / block + 1) * block);
  forward_.resize(nodes);
  backward_.resize(nodes);
}

void TorusAxis::pass(Changes& changes, std::int64_t line, std::int64_t from, std::int64_t to,
                     double messages) const {
  changes[static_cast<std::size_t>(line + from * stride_)] += messages;
  if (to < extent_) changes[static_cast<std::size_t>(line + to * stride_)] -= messages;
}

/// Adds messages that go forward from `from` to `to`. If `to` is before `from`, they pass the end
/// of the ring.
void TorusAxis::pass_around(Changes& changes, std::int64_t line, std::int64_t from, std::int64_t to,
                            double messages) const {
  if (from < to) return pass(changes, line, from, to, messages);
  pass(changes, line, from, extent_, messages);
  if (to > 0) pass(changes, line, 0, to, messages);
}

void TorusAxis::look_through(const Changes& changes, double capacity, const std::string& name,
                             BusiestLink& found) const {
  const auto nodes = static_cast<std::int64_t>(changes.size());
  double most = found.load * capacity;
  std::int64_t busiest = -1;
  for (std::int64_t block = 0; block < nodes; block += extent_ * stride_)
    for (std::int64_t line = block; line < block + stride_; ++line) {
      double load = 0;
      for (std::int64_t node = line; node < line + extent_ * stride_; node += stride_) {
        load += changes[static_cast<std::size_t>(node)];
        if (load <= most) continue;
        most = load;
        busiest = node;
      }
    }
  if (busiest >= 0) found = {most / capacity, name + ", at node " + std::to_string(busiest)};
}

std::vector<TorusAxis> axes_of_torus(const Topology& torus) {
  std::vector<TorusAxis> axes;
  std::int64_t stride = torus.nodes;
  for (std::size_t axis = 0; axis < torus.extents.size(); ++axis) {
    stride /= torus.extents[axis];
    axes.emplace_back(torus, axis, stride);
  }
  return axes;
}

BusiestLink busiest_of(const std::vector<TorusAxis>& axes, double capacity) {
  BusiestLink found;
  for (std::size_t axis = 0; axis < axes.size(); ++axis) {
    const BusiestLink busiest = axes[axis].busiest(capacity, axis);
    if (busiest.load > found.load) found = busiest;
  }
  return found;
}

}  // namespace weft::model
