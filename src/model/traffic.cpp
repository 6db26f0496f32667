#include "model/traffic.hpp"

#include <algorithm>
#include <numeric>
#include <optional>
#include <vector>

#include "layout/overlap.hpp"
#include "layout/parts.hpp"
#include "model/node_traffic.hpp"

namespace weft::model {
namespace {

/// Returns a rank with the most data to send. In a process grid it is the last rank, which has the
/// longest range on each axis.
std::int64_t busiest_rank(const Layout& layout) {
  if (layout.is_grid()) return layout.first_rank() + volume(layout.process_grid()) - 1;
  const auto& boxes = layout.boxes();
  const auto largest = std::max_element(
      boxes.begin(), boxes.end(),
      [](const Box& one, const Box& other) { return one.volume() < other.volume(); });
  return largest - boxes.begin();
}

void count(Traffic& traffic, bool near, double bytes) {
  (near ? traffic.near_bytes : traffic.far_bytes) += bytes;
  (near ? traffic.near_messages : traffic.far_messages) += 1;
  if (!near) traffic.longest = std::max(traffic.longest, bytes);
}

/// Visits all messages of the rank.
Traffic counted_one_by_one(const Layout& from, const Layout& to, std::int64_t rank,
                           double element_bytes, const Placement& placement) {
  Traffic traffic;
  for (const Overlap& overlap : overlaps(from, rank, to))
    if (overlap.peer != rank)
      count(traffic, placement.same_node(overlap.peer, rank),
            static_cast<double>(overlap.box.volume()) * element_bytes);
  return traffic;
}

/// A range of an axis, and those parts of the divided axis that overlap the range.
struct Meeting {
  std::int64_t n = 0;
  std::int64_t division = 1;  ///< number of parts
  Range range;
  Range parts;
  std::int64_t even_part = 0;  ///< length of the parts if all are equally long, otherwise 0
  std::int64_t longest = 0;    ///< largest number of indices that the range and a part share
  std::int64_t as_long = 0;    ///< number of parts that share `longest` indices with the range

  /// Returns the number of indices that the range has in common with a part.
  std::int64_t common(std::int64_t part) const {
    if (part < parts.lo || part >= parts.hi) return 0;
    if (even_part > 0 && part > parts.lo && part + 1 < parts.hi) return even_part;
    const Range theirs = balanced_part(n, part, division);
    return std::min(theirs.hi, range.hi) - std::max(theirs.lo, range.lo);
  }
  void add(std::int64_t length, std::int64_t times) {
    if (times == 0 || length < longest) return;
    as_long = length == longest ? as_long + times : times;
    longest = length;
  }
};

/// The parts between the first and the last are wholly in the range. Each has n / division indices
/// or one more.
Meeting meeting(std::int64_t n, std::int64_t division, const Range& range) {
  const std::int64_t even_part = n % division == 0 ? n / division : 0;
  Meeting found{n, division, range, parts_meeting(n, division, range), even_part};
  const Range& parts = found.parts;
  found.add(found.common(parts.lo), 1);
  if (parts.size() == 1) return found;
  found.add(found.common(parts.hi - 1), 1);
  const std::int64_t between = parts.size() - 2;
  const std::int64_t indices =
      balanced_part(n, parts.hi - 1, division).lo - balanced_part(n, parts.lo, division).hi;
  const std::int64_t longer = indices - between * (n / division);
  found.add(n / division, between - longer);
  found.add(n / division + 1, longer);
  return found;
}

using Meetings = std::vector<Meeting>;

/// Returns the meeting on each axis. Returns none if an axis has more parts than indices, because
/// some parts are then empty.
Meetings meetings(const Box& box, const Layout& to) {
  Meetings axes;
  for (std::size_t axis = 0; axis < to.shape().size(); ++axis) {
    if (to.process_grid()[axis] > to.shape()[axis]) return {};
    axes.push_back(
        meeting(to.shape()[axis], to.process_grid()[axis], {box.lower[axis], box.upper[axis]}));
  }
  return axes;
}

/// The number of elements sent to each rank of a process grid. Callers ask in ascending order. A
/// node may have thousands of ranks, most of them consecutive. So, from one rank to the next, only
/// the axes on which the part changes are computed again.
class SentTo {
 public:
  explicit SentTo(const Meetings& axes)
      : axes_(axes), part_(axes.size(), 0), elements_(axes.size() + 1, 1) {
    move_to(0);
  }

  std::int64_t elements(std::int64_t position) {
    if (position == position_ + 1)
      step();
    else if (position != position_)
      move_to(position);
    return elements_.back();
  }

 private:
  void step() {
    ++position_;
    std::size_t axis = axes_.size() - 1;
    while (axis > 0 && part_[axis] + 1 == axes_[axis].division) part_[axis--] = 0;
    ++part_[axis];
    multiply_from(axis);
  }

  void move_to(std::int64_t position) {
    position_ = position;
    for (std::size_t axis = axes_.size(); axis-- > 0; position /= axes_[axis].division)
      part_[axis] = position % axes_[axis].division;
    multiply_from(0);
  }

  /// Computes elements_[k + 1] for each k from `axis`: the product of the common indices on axes 0
  /// to k.
  void multiply_from(std::size_t axis) {
    for (; axis < axes_.size(); ++axis) {
      const std::int64_t before = elements_[axis];
      elements_[axis + 1] = before == 0 ? 0 : before * axes_[axis].common(part_[axis]);
    }
  }

  const Meetings& axes_;
  std::int64_t position_ = 0;
  std::vector<std::int64_t> part_;
  std::vector<std::int64_t> elements_;
};

template <class Value>
std::int64_t product(const Meetings& axes, Value value) {
  return std::accumulate(
      axes.begin(), axes.end(), std::int64_t{1},
      [&](std::int64_t so_far, const Meeting& axis) { return so_far * value(axis); });
}

/// Counts all messages as products over the axes. Subtracts the messages that stay on the node,
/// rank by rank.
///
/// Returns nothing if an axis has more parts than indices. Also returns nothing if some messages
/// leave the node, but none of the longest ones: the longest that leaves is then not known.
std::optional<Traffic> counted_by_axes(const Layout& from, const Layout& to, std::int64_t rank,
                                       double element_bytes, const Placement& placement) {
  const Box box = from.box(rank);
  const Meetings axes = meetings(box, to);
  if (axes.empty()) return {};
  const std::int64_t longest = product(axes, [](const Meeting& axis) { return axis.longest; });
  std::int64_t as_long = product(axes, [](const Meeting& axis) { return axis.as_long; });
  std::int64_t others = product(axes, [](const Meeting& axis) { return axis.parts.size(); });
  Traffic traffic;
  std::int64_t left = box.volume();
  const std::int64_t end = volume(to.process_grid());
  SentTo sent(axes);
  for (const std::int64_t other : placement.sharing_with(rank)) {
    const std::int64_t position = other - to.first_rank();
    if (position < 0 || position >= end) continue;
    const std::int64_t elements = sent.elements(position);
    if (elements == 0) continue;
    if (elements == longest) --as_long;
    --others;
    left -= elements;
    if (other != rank) count(traffic, true, static_cast<double>(elements) * element_bytes);
  }
  if (others == 0) return traffic;
  if (as_long == 0) return {};
  traffic.far_messages = static_cast<double>(others);
  traffic.far_bytes = static_cast<double>(left) * element_bytes;
  traffic.longest = static_cast<double>(longest) * element_bytes;
  return traffic;
}

Traffic counted(const Layout& from, const Layout& to, std::int64_t rank, double element_bytes,
                const Placement& placement) {
  if (const auto found = counted_by_axes(from, to, rank, element_bytes, placement)) return *found;
  return counted_one_by_one(from, to, rank, element_bytes, placement);
}

/// Among the ranks of a node, finds the rank that sends most to other nodes. Returns its traffic.
/// On a node of more than 15 ranks only a sample of 8 to 12 ranks is examined.
Traffic of_busiest_rank_among(const Layout& from, const Layout& to, std::int64_t rank,
                              double element_bytes, const Placement& placement) {
  constexpr std::size_t looked_at = 8;
  const std::vector<std::int64_t>& ranks = placement.sharing_with(rank);
  const std::size_t step = std::max<std::size_t>(1, ranks.size() / looked_at);
  Traffic most;
  for (std::size_t i = 0; i < ranks.size(); i += step) {
    const std::int64_t position = ranks[i] - from.first_rank();
    if (position < 0 || position >= volume(from.process_grid())) continue;
    const Traffic found = counted(from, to, ranks[i], element_bytes, placement);
    if (found.far_bytes > most.far_bytes) most = found;
  }
  return most;
}

}  // namespace

Traffic traffic_of(const Layout& from, const Layout& to, double element_bytes,
                   const Placement& placement) {
  const std::int64_t rank = busiest_rank(from);
  if (!from.is_grid() || !to.is_grid())
    return counted_one_by_one(from, to, rank, element_bytes, placement);
  const Traffic of_last = counted(from, to, rank, element_bytes, placement);
  // Parts may differ by one index, so a rank may send a little more than it receives. Differences
  // below 15 % are ignored.
  constexpr double tolerated = 1.15;
  const auto largest = static_cast<double>(from.max_local_volume()) * element_bytes;
  if (largest <= of_last.far_bytes * tolerated) return of_last;
  // The ranks of a node share its link, but may send different amounts. If the two process grids
  // have different rows of ranks, some may keep all their data while others send all of it.
  const NodeTraffic node = busiest_node(from, to, placement);
  const double share = element_bytes / static_cast<double>(placement.on_node());
  const double far_bytes = static_cast<double>(node.far) * share;
  if (far_bytes <= of_last.far_bytes * tolerated) return of_last;
  Traffic found = of_busiest_rank_among(from, to, node.rank, element_bytes, placement);
  // If these ranks send nothing to other nodes, the node only receives.
  if (found.far_messages == 0) found = of_last;
  found.far_messages = std::max(1.0, found.far_messages);
  found.far_bytes = far_bytes;
  found.longest = std::max(found.longest, far_bytes / found.far_messages);
  found.near_bytes = std::max(found.near_bytes, static_cast<double>(node.near) * share);
  return found;
}

Traffic KnownTraffic::of(const Layout& from, const Layout& to, double element_bytes,
                         const Placement& placement) {
  if (!from.is_grid() || !to.is_grid()) return traffic_of(from, to, element_bytes, placement);
  const auto key = std::make_tuple(from.shape(), Grid{from.process_grid(), from.first_rank()},
                                   Grid{to.process_grid(), to.first_rank()}, element_bytes);
  const auto found = known_.find(key);
  if (found != known_.end()) return found->second;
  return known_.emplace(key, traffic_of(from, to, element_bytes, placement)).first->second;
}

}  // namespace weft::model
