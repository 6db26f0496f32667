#include "model/torus.hpp"

#include <algorithm>
#include <optional>
#include <utility>

#include "model/torus_axis.hpp"

namespace weft::model {
namespace {

/// The nodes of a group in ascending order, each with its number of ranks. After shadow() an entry
/// has only some of a node's coordinates.
using Ranks = std::vector<std::pair<std::int64_t, double>>;

/// Joins entries with the same place.
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

/// Adds the messages of a group. They go along axis 0 first, then along axis 1, ... A message along
/// one axis has the receiver's place on the earlier axes and the sender's on the later axes. So the
/// group's projections on both sets of axes suffice. No loop over all pairs of ranks is needed.
void add_group(const Topology& torus, std::span<const std::int64_t> nodes,
               std::vector<TorusAxis>& axes) {
  Ranks ranks;
  for (const std::int64_t node : nodes) ranks.emplace_back(node, 1);
  const Ranks group = joined(std::move(ranks));
  std::int64_t stride = torus.nodes;
  for (std::size_t axis = 0; axis < axes.size(); ++axis) {
    const std::int64_t extent = torus.extents[axis];
    const std::int64_t period = stride;  // number of nodes with the same place on all earlier axes
    stride /= extent;
    // Senders are counted by their place on this axis and later ones, receivers on this axis and
    // earlier ones.
    const Ranks senders = shadow(group, [=](std::int64_t node) { return node % period; });
    const Ranks receivers = shadow(group, [=](std::int64_t node) { return node / stride; });
    for (const auto& [from, sending] : senders)
      for (const auto& [to, receiving] : receivers)
        axes[axis].send(to / extent * period + from % stride, from / stride, to % extent,
                        sending * receiving);
  }
}

/// A group that occupies every combination of some places on each axis, with the same number of
/// ranks on each node.
struct Lattice {
  std::vector<std::vector<std::int64_t>> places;  ///< on each axis, in ascending order
  double on_node = 1;
};

/// Finds lattices. Its array of counts is allocated once, because there are many groups.
class Lattices {
 public:
  /// For groups on the first `nodes` nodes.
  Lattices(const Topology& torus, std::int64_t nodes)
      : torus_(torus), ranks_of_(static_cast<std::size_t>(nodes)) {}

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
    // A full lattice has `combinations` ranks, and all ranks of the group are in it. So if the
    // group has as many ranks, no combination is missing.
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

/// Returns all lines of a lattice along one axis. The node at place 0 stands for its line.
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

/// As add_group(), for a lattice. All lines of a lattice along an axis have the same messages. So
/// the loads are computed for one line, then added to each line.
void add_lattice(const Topology& torus, const Lattice& lattice, std::vector<TorusAxis>& axes) {
  for (std::size_t axis = 0; axis < axes.size(); ++axis) {
    const std::vector<std::int64_t>& places = lattice.places[axis];
    if (places.size() == 1) continue;
    TorusAxis one_line(torus, axis, 1);
    for (const std::int64_t from : places)
      for (const std::int64_t to : places) one_line.send(0, from, to, 1);
    const std::vector<std::int64_t> lines = lines_along(torus, lattice, axis);
    // Senders that differ only on earlier axes share a line, and so do receivers that differ only
    // on later axes. So each pair of places has as many pairs of nodes as there are lines.
    const double times = lattice.on_node * lattice.on_node * static_cast<double>(lines.size());
    for (const std::int64_t line : lines) axes[axis].add(one_line, line, times);
  }
}

}  // namespace

BusiestLink busiest_torus_link(const Topology& torus,
                               std::span<const std::vector<std::int64_t>> groups,
                               std::span<const std::int64_t> node_of) {
  std::vector<TorusAxis> axes = axes_of_torus(torus);
  std::int64_t last = 0;
  for (const std::int64_t node : node_of) last = std::max(last, node);
  Lattices lattices(torus, last + 1);
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
  return busiest_of(axes, torus.link);
}

}  // namespace weft::model
