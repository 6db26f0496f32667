#include "plan/halo_rounds.hpp"

#include <algorithm>
#include <utility>

#include <weft/error.hpp>

#include "base/checked.hpp"
#include "layout/check.hpp"
#include "plan/chunks.hpp"
#include "plan/methods/methods.hpp"

namespace weft {
namespace {

/// A range of an axis, and a rank that owns it.
struct OwnedRange {
  Range range;
  std::int64_t rank = 0;
};

/// Returns the different ranges of an axis, the lowest first. Throws if two of them overlap. If no
/// ranges overlap on any axis, the boxes form a grid.
std::vector<Range> parts_along(const Layout& layout, int axis) {
  std::vector<OwnedRange> found;
  for (std::int64_t rank = 0; rank < layout.ranks(); ++rank) {
    const Box box = layout.box(rank);
    if (!box.empty()) found.push_back({{box.lower[axis], box.upper[axis]}, rank});
  }
  const auto bounds = [](const OwnedRange& a) { return std::pair(a.range.lo, a.range.hi); };
  std::stable_sort(found.begin(), found.end(),
                   [&](const OwnedRange& a, const OwnedRange& b) { return bounds(a) < bounds(b); });
  std::vector<Range> parts;
  std::int64_t owner = 0;
  for (const OwnedRange& each : found) {
    if (!parts.empty() && parts.back() == each.range) continue;
    if (!parts.empty() && each.range.lo < parts.back().hi)
      throw Error(
          ErrorCode::unsupported,
          "the layout of a halo must cut each axis at the same positions everywhere; along axis " +
              std::to_string(axis) + " rank " + std::to_string(owner) + " has " +
              to_string(layout.box(owner)) + " and rank " + std::to_string(each.rank) + " has " +
              to_string(layout.box(each.rank)) +
              "; redistribute the array to a process grid, such as a slab, pencil or brick");
    parts.push_back(each.range);
    owner = each.rank;
  }
  return parts;
}

/// An axis of the problem: its parts, and the part of each rank.
struct HaloAxis {
  std::vector<Range> parts;
  std::vector<std::int64_t> part_of;  ///< by rank; 0 for an empty box
  std::int64_t extent = 0;
  std::int64_t below = 0;
  std::int64_t above = 0;
  bool periodic = true;

  std::int64_t count() const { return static_cast<std::int64_t>(parts.size()); }
  /// Returns the range of a part with its planes. Planes outside an array that is not periodic are
  /// omitted. On a periodic axis, indices continue past the ends.
  Range with_planes(std::int64_t part) const {
    const Range own = parts[static_cast<std::size_t>(part)];
    const Range wide{own.lo - below, own.hi + above};
    return periodic ? wide : Range{std::max<std::int64_t>(wide.lo, 0), std::min(wide.hi, extent)};
  }
  /// Returns the position of an index in the local array of a part.
  std::int64_t position(std::int64_t part, std::int64_t index) const {
    return index - parts[static_cast<std::size_t>(part)].lo + below;
  }
};

HaloAxis axis_of(const HaloProblem& problem, int axis) {
  HaloAxis found{parts_along(problem.layout, axis),
                 {},
                 problem.layout.shape()[axis],
                 problem.below[axis],
                 problem.above[axis],
                 problem.periodic[axis]};
  for (std::int64_t rank = 0; rank < problem.layout.ranks(); ++rank) {
    const Box box = problem.layout.box(rank);
    const auto part =
        std::lower_bound(found.parts.begin(), found.parts.end(), box.lower[axis],
                         [](const Range& range, std::int64_t lower) { return range.lo < lower; });
    found.part_of.push_back(box.empty() ? 0 : part - found.parts.begin());
  }
  return found;
}

/// For each part, the planes that it receives in one round.
struct RoundPlanes {
  std::vector<Range> ranges;        ///< indices that continue past the ends of a periodic axis
  std::vector<std::int64_t> owner;  ///< the part that owns these planes
  std::vector<std::int64_t> shift;  ///< from the owner's indices to the indices of `ranges`
  std::int64_t total = 0;
};

RoundPlanes planes_of(const HaloAxis& axis, bool below, std::int64_t distance) {
  RoundPlanes found;
  for (std::int64_t part = 0; part < axis.count(); ++part) {
    std::int64_t owner = below ? part - distance : part + distance;
    std::int64_t shift = 0;
    if (owner < 0) shift = -axis.extent;
    if (owner >= axis.count()) shift = axis.extent;
    owner = (owner + axis.count()) % axis.count();
    const Range own = axis.parts[static_cast<std::size_t>(part)];
    const Range wanted =
        below ? Range{own.lo - axis.below, own.lo} : Range{own.hi, own.hi + axis.above};
    const Range given = axis.parts[static_cast<std::size_t>(owner)];
    Range common{std::max(wanted.lo, given.lo + shift), std::min(wanted.hi, given.hi + shift)};
    if (common.size() <= 0 || (shift != 0 && !axis.periodic)) common = {0, 0};
    found.ranges.push_back(common);
    found.owner.push_back(owner);
    found.shift.push_back(shift);
    found.total += common.size();
  }
  return found;
}

/// Places the ranges one after the other. Returns the start of each, and the end of the last one.
std::vector<std::int64_t> starts_of(const std::vector<Range>& ranges) {
  std::vector<std::int64_t> starts{0};
  for (const Range& range : ranges)
    starts.push_back(checked_add(starts.back(), range.size(), "the planes of a halo"));
  return starts;
}

/// Decides the exchange of the rounds along an axis. Between nodes, prefers messages: each rank
/// sends only one message in a round, and a collective call of all ranks would cost more.
Exchange exchange_of(const HaloProblem& halo, int axis, std::int64_t slices) {
  Problem problem;
  problem.ranks = halo.layout.ranks();
  problem.ranks_per_node = halo.ranks_per_node;
  problem.exchange = halo.exchange;
  Exchange& forced = problem.exchange;
  if (forced.preset == Preset::none) {
    if (!has_method(forced) && problem.ranks_per_node < problem.ranks)
      forced.method = Method::messages;
    if (sends_messages(forced) && forced.schedule == Schedule::automatic)
      forced.schedule = Schedule::scattered;
  }
  return choose_exchange(problem, static_cast<std::size_t>(axis), slices);
}

/// Makes the rounds of one rank, axis by axis.
class RoundMaker {
 public:
  RoundMaker(const HaloProblem& problem, std::int64_t rank) : problem_(problem), rank_(rank) {
    for (int axis = 0; axis < problem.layout.dims(); ++axis) {
      axes_.push_back(axis_of(problem, axis));
      std::vector<Range> wide;
      for (std::int64_t part = 0; part < axes_.back().count(); ++part)
        wide.push_back(axes_.back().with_planes(part));
      filled_starts_.push_back(starts_of(wide));
    }
  }

  std::vector<HaloRound> rounds() {
    for (int axis = 0; axis < problem_.layout.dims(); ++axis)
      for (const bool below : {true, false})
        for (std::int64_t distance = 1; distance <= axes_[axis].count(); ++distance) {
          const RoundPlanes planes = planes_of(axes_[axis], below, distance);
          if (planes.total == 0) break;
          add(axis, below, distance, planes);
        }
    return std::move(rounds_);
  }

 private:
  /// The range of a rank along one axis in the array of a round, and the position of the range in
  /// the local array.
  struct RoundRange {
    Range range;
    std::int64_t position = 0;
  };

  RoundRange along_other(int axis, int other, std::int64_t rank) const {
    const HaloAxis& found = axes_[other];
    const std::int64_t part = found.part_of[static_cast<std::size_t>(rank)];
    if (other > axis) return {found.parts[static_cast<std::size_t>(part)], found.below};
    const std::int64_t start = filled_starts_[other][static_cast<std::size_t>(part)];
    const Range filled = found.with_planes(part);
    return {{start, start + filled.size()}, found.position(part, filled.lo)};
  }

  std::int64_t extent_of(int axis, int other) const {
    return other > axis ? axes_[other].extent : filled_starts_[other].back();
  }

  void add(int axis, bool below, std::int64_t distance, const RoundPlanes& planes) {
    const HaloAxis& cut = axes_[axis];
    const std::vector<std::int64_t> starts = starts_of(planes.ranges);
    std::vector<std::int64_t> receiver(planes.owner.size());
    for (std::size_t part = 0; part < planes.owner.size(); ++part)
      receiver[static_cast<std::size_t>(planes.owner[part])] = static_cast<std::int64_t>(part);
    HaloRound round{
        .axis = axis, .below = below, .distance = distance, .is_local = distance == cut.count()};
    const auto extent = [&](std::int64_t rank, int other, bool owns) {
      if (other != axis) return along_other(axis, other, rank);
      const std::int64_t part = cut.part_of[static_cast<std::size_t>(rank)];
      const auto taker =
          static_cast<std::size_t>(owns ? receiver[static_cast<std::size_t>(part)] : part);
      const std::int64_t first = planes.ranges[taker].lo - (owns ? planes.shift[taker] : 0);
      return RoundRange{{starts[taker], starts[taker + 1]}, cut.position(part, first)};
    };
    round.owners = layout_of_boxes(axis, starts.back(), true, extent, round.sent_from);
    round.receivers = layout_of_boxes(axis, starts.back(), false, extent, round.received_at);
    decide_exchange(round);
    rounds_.push_back(std::move(round));
  }

  /// Returns the layout of all ranks, and the position of this rank's box in its local array.
  template <class F>
  Layout layout_of_boxes(int axis, std::int64_t length, bool owns, F&& extent,
                         Shape& position) const {
    const std::vector<int>& order = problem_.layout.order();
    const std::size_t dims = order.size();
    Shape shape;
    for (const int other : order) shape.push_back(other == axis ? length : extent_of(axis, other));
    std::vector<Box> boxes;
    for (std::int64_t rank = 0; rank < problem_.layout.ranks(); ++rank) {
      Box box{Shape(dims, 0), Shape(dims, 0)};
      if (rank == rank_) position.assign(dims, 0);
      if (problem_.layout.box(rank).empty() || extent(rank, axis, owns).range.size() == 0) {
        boxes.push_back(std::move(box));
        continue;
      }
      for (std::size_t i = 0; i < dims; ++i) {
        const RoundRange along = extent(rank, order[i], owns);
        box.lower[i] = along.range.lo;
        box.upper[i] = along.range.hi;
        if (rank == rank_) position[i] = along.position;
      }
      boxes.push_back(std::move(box));
    }
    return Layout::of_boxes(shape, std::move(boxes));
  }

  void decide_exchange(HaloRound& round) const {
    if (round.is_local) return;
    const Chunking chunking = chunking_of({.target = round.owners}, {.source = round.receivers});
    round.exchange = exchange_of(problem_, round.axis, slices(chunking, round.owners));
    if (round.exchange.chunks > 1) round.chunk_axis = chunking.axis;
  }

  const HaloProblem& problem_;
  const std::int64_t rank_;
  std::vector<HaloAxis> axes_;
  std::vector<std::vector<std::int64_t>> filled_starts_;  ///< by axis and part
  std::vector<HaloRound> rounds_;
};

/// Returns one number for each axis.
template <class T>
std::vector<T> for_each_axis(const std::vector<T>& given, int dims, const char* what) {
  if (given.size() == 1) return std::vector<T>(static_cast<std::size_t>(dims), given[0]);
  if (static_cast<int>(given.size()) != dims)
    throw Error(ErrorCode::invalid_argument,
                std::string("a halo has ") + what + " for all axes or one for each of the " +
                    std::to_string(dims) + " axes of its layout; given " +
                    std::to_string(given.size()) + "; give 1 or " + std::to_string(dims));
  return given;
}

void check_widths(const Shape& widths, const Shape& shape) {
  for (std::size_t axis = 0; axis < shape.size(); ++axis)
    if (widths[axis] < 0 || widths[axis] > shape[axis])
      throw Error(ErrorCode::invalid_argument,
                  "the width of a halo must be 0 to the length of its axis, " +
                      std::to_string(shape[axis]) + " for axis " + std::to_string(axis) +
                      "; given " + std::to_string(widths[axis]) + "; give at most that length");
}

}  // namespace

HaloProblem checked(HaloProblem problem) {
  const Layout& layout = problem.layout;
  if (layout.dims() == 0)
    throw Error(ErrorCode::invalid_argument,
                "a halo needs a layout; the one given has no axes; give the layout of an array");
  if (problem.element_bytes < 1)
    throw Error(ErrorCode::invalid_argument, "an element must have at least 1 byte; given " +
                                                 std::to_string(problem.element_bytes) +
                                                 "; give the bytes of one element");
  if (problem.exchange.wire != WirePrecision::same)
    throw Error(ErrorCode::unsupported,
                "a halo has the values of its owners unchanged, so it is sent in the precision of "
                "the array; given wire f32; leave wire out");
  if (problem.above.empty()) problem.above = problem.below;
  problem.below = for_each_axis(problem.below, layout.dims(), "one width");
  problem.above = for_each_axis(problem.above, layout.dims(), "one width");
  problem.periodic = for_each_axis(problem.periodic, layout.dims(), "one choice of periodic");
  check_widths(problem.below, layout.shape());
  check_widths(problem.above, layout.shape());
  for (int axis = 0; axis < layout.dims(); ++axis) parts_along(layout, axis);
  exchange_of(problem, 0, 1);  // checks the forced choices even if no axis is cut
  for (std::int64_t rank = 0; rank < layout.ranks(); ++rank)
    checked_mul(volume(halo_shape(problem, rank)), problem.element_bytes,
                "the local array of a halo");
  return problem;
}

Shape halo_shape(const HaloProblem& problem, std::int64_t rank) {
  Shape shape = problem.layout.local_shape(rank);
  if (problem.layout.box(rank).empty()) return shape;
  for (std::size_t axis = 0; axis < shape.size(); ++axis)
    shape[axis] += problem.below[axis] + problem.above[axis];
  return shape;
}

Shape halo_strides(const HaloProblem& problem, std::int64_t rank) {
  return dense_strides(halo_shape(problem, rank), problem.layout.order());
}

std::int64_t inner_offset(const HaloProblem& problem, std::int64_t rank) {
  const Shape strides = halo_strides(problem, rank);
  std::int64_t offset = 0;
  if (problem.layout.box(rank).empty()) return offset;
  for (std::size_t axis = 0; axis < strides.size(); ++axis)
    offset += problem.below[axis] * strides[axis];
  return offset;
}

std::vector<HaloRound> halo_rounds(const HaloProblem& problem, std::int64_t rank) {
  return RoundMaker(problem, rank).rounds();
}

}  // namespace weft
