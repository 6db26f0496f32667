#include "model/placement.hpp"

#include <algorithm>
#include <utility>

#include <weft/error.hpp>

#include "base/checked.hpp"
#include "layout/check.hpp"
#include "model/rank_order.hpp"
#include "model/topology.hpp"

namespace weft::model {
namespace {

/// A digit of an order (see Digit), with its weight in the number of a rank.
struct Weight {
  std::int64_t below = 1;   ///< product of the extents of the earlier digits of this axis
  std::int64_t extent = 1;  ///< of the digit
  std::int64_t weight = 1;  ///< of the digit in the number
};

/// An axis of the places of ranks. A place is a node and a slot, the position on the node.
struct Axis {
  char letter = within_node;
  std::int64_t extent = 1;
  std::int64_t stride = 1;  ///< distance of neighbours in the numbering of nodes or slots
  std::vector<Weight> digits = {};

  std::int64_t number(std::int64_t index) const {
    const std::int64_t place = index / stride % extent;
    std::int64_t sum = 0;
    for (const Weight& digit : digits) sum += place / digit.below % digit.extent * digit.weight;
    return sum;
  }
};

/// Returns the axes of the network, then the axis of the ranks of a node.
std::vector<Axis> axes_in_order(const Topology& topology, std::int64_t on_node) {
  std::vector<Axis> axes;
  std::int64_t stride = topology.nodes;
  for (const NetworkAxis& axis : axes_of(topology)) {
    stride /= axis.extent;
    axes.push_back({axis.letter, axis.extent, stride});
  }
  axes.push_back({within_node, on_node, 1});
  return axes;
}

void add_digit(Axis& axis, const Digit& digit, std::int64_t& weight) {
  std::int64_t below = 1;
  if (!axis.digits.empty()) below = axis.digits.back().below * axis.digits.back().extent;
  const std::int64_t left = axis.extent / below;
  const std::int64_t extent = digit.extent == 0 ? left : digit.extent;
  axis.digits.push_back({below, extent, weight});
  weight *= extent;
}

/// Checks only the digits of t, the position on a node. The axes of the network were checked with
/// the machine.
void check_slots(const std::vector<Digit>& digits, const std::string& order, std::int64_t on_node) {
  std::int64_t left = on_node;
  for (const Digit& digit : digits) {
    if (digit.letter != within_node) continue;
    if (digit.extent == 0) return;
    if (left % digit.extent != 0) break;
    left /= digit.extent;
  }
  if (left != 1)
    throw Error(ErrorCode::invalid_argument,
                "the numbers after t in an order must multiply to the ranks of a node, which are " +
                    std::to_string(on_node) + "; given \"" + order +
                    "\"; leave the number of the last t out");
}

/// Returns pairs (number, place). The order of the topology gives each occupied place its number.
std::vector<std::pair<std::int64_t, std::int64_t>> numbered(const Topology& topology,
                                                            std::int64_t ranks,
                                                            std::int64_t on_node) {
  const std::vector<Digit> digits = digits_of(topology);
  check_slots(digits, topology.order, on_node);
  checked_mul(topology.nodes, on_node, "ranks of all nodes together");
  std::vector<Axis> axes = axes_in_order(topology, on_node);
  std::int64_t weight = 1;
  for (const Digit& digit : digits)
    for (Axis& axis : axes)
      if (axis.letter == digit.letter) add_digit(axis, digit, weight);
  std::vector<std::pair<std::int64_t, std::int64_t>> places;
  places.reserve(static_cast<std::size_t>(ranks));
  for (std::int64_t place = 0; place < ranks; ++place) {
    std::int64_t number = axes.back().number(place % on_node);
    for (std::size_t axis = 0; axis + 1 < axes.size(); ++axis)
      number += axes[axis].number(place / on_node);
    places.emplace_back(number, place);
  }
  return places;
}

/// Returns the place `node * on_node + slot` of each rank.
std::vector<std::int64_t> places_in_order(const Topology& topology, std::int64_t ranks,
                                          std::int64_t on_node) {
  std::vector<std::int64_t> places(static_cast<std::size_t>(ranks));
  if (topology.order.empty()) {
    for (std::size_t rank = 0; rank < places.size(); ++rank)
      places[rank] = static_cast<std::int64_t>(rank);
    return places;
  }
  auto by_number = numbered(topology, ranks, on_node);
  std::sort(by_number.begin(), by_number.end());
  std::transform(by_number.begin(), by_number.end(), places.begin(),
                 [](const auto& each) { return each.second; });
  return places;
}

}  // namespace

Placement::Placement(std::int64_t ranks, std::int64_t on_node) : on_node_(on_node) {
  for (std::int64_t rank = 0; rank < ranks; ++rank) node_of_.push_back(rank / on_node);
  collect_nodes();
}

Placement::Placement(const Topology& topology, std::int64_t ranks, std::int64_t on_node)
    : on_node_(on_node), node_of_(places_in_order(topology, ranks, on_node)) {
  for (std::int64_t& place : node_of_) place /= on_node;
  for (std::int64_t rank = 0; rank < ranks && together_; ++rank)
    together_ = same_node(rank, rank / on_node * on_node);
  collect_nodes();
}

void Placement::collect_nodes() {
  const std::int64_t last = *std::max_element(node_of_.begin(), node_of_.end());
  constexpr std::size_t none = SIZE_MAX;
  std::vector<std::size_t> index(static_cast<std::size_t>(last) + 1, none);
  for (std::size_t rank = 0; rank < node_of_.size(); ++rank) {
    std::size_t& found = index[static_cast<std::size_t>(node_of_[rank])];
    if (found == none) {
      found = nodes_.size();
      nodes_.emplace_back();
    }
    nodes_[found].push_back(static_cast<std::int64_t>(rank));
    index_.push_back(found);
  }
}

const std::vector<std::int64_t>& Placement::sharing_with(std::int64_t rank) const {
  return nodes_[index_[static_cast<std::size_t>(rank)]];
}

}  // namespace weft::model

namespace weft {

std::vector<RankPlace> rank_places(const Topology& topology, std::int64_t ranks,
                                   std::int64_t ranks_on_node) {
  model::check(topology);
  check_ranks_to_plan(ranks);
  if (ranks_on_node < 1)
    throw Error(ErrorCode::invalid_argument,
                "the ranks of a node must be 1 or more; given " + std::to_string(ranks_on_node));
  if ((ranks - 1) / ranks_on_node >= topology.nodes)
    throw Error(ErrorCode::invalid_argument, "the network has " + std::to_string(topology.nodes) +
                                                 " nodes; given " + std::to_string(ranks) +
                                                 " ranks, " + std::to_string(ranks_on_node) +
                                                 " on a node; put more on each");
  std::vector<RankPlace> places;
  for (const std::int64_t place : model::places_in_order(topology, ranks, ranks_on_node))
    places.push_back({place / ranks_on_node, place % ranks_on_node});
  return places;
}

}  // namespace weft
