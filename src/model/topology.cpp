#include "model/topology.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <utility>

#include <weft/error.hpp>

#include "model/dragonfly.hpp"
#include "model/fat_tree.hpp"
#include "model/rank_order.hpp"
#include "model/torus.hpp"

namespace weft::model {
namespace {

/// Above a switch, where they are counted one by one.
constexpr std::int64_t links_apart_max = 65536;

[[noreturn]] void refuse(const std::string& rule, const std::string& given) {
  throw Error(ErrorCode::invalid_argument, "topology: " + rule + "; given " + given);
}

std::string listed(std::span<const std::int64_t> values) {
  std::string text = "[";
  for (const std::int64_t value : values)
    text += (text.size() > 1 ? ", " : "") + std::to_string(value);
  return text + "]";
}

/// Compares without overflow: extents come from a file.
bool product_is(std::span<const std::int64_t> factors, std::int64_t wanted) {
  std::int64_t left = wanted;
  for (const std::int64_t factor : factors) {
    if (factor < 1 || left % factor != 0) return false;
    left /= factor;
  }
  return left == 1;
}

/// Links that routes choose by destination are as fast as a node's, and each chooses among all that
/// those below it lead to.
void check_links_apart(std::span<const double> uplinks) {
  double below = 1;
  for (const double links : uplinks) {
    if (links > static_cast<double>(links_apart_max) || std::fmod(links, below) != 0)
      refuse("where routes go by destination, uplinks must be whole numbers of links up to " +
                 std::to_string(links_apart_max) + ", each level's a multiple of the one below",
             std::to_string(links) + " above " + std::to_string(below));
    below = links;
  }
}

/// Places in ascending order, each with the ranks of one group that it has.
using Census = std::vector<std::pair<std::int64_t, double>>;

Census census(const std::vector<std::int64_t>& group, std::span<const std::int64_t> node_of,
              std::int64_t nodes_per_place) {
  std::vector<std::int64_t> places;
  places.reserve(group.size());
  for (const std::int64_t rank : group)
    places.push_back(node_of[static_cast<std::size_t>(rank)] / nodes_per_place);
  std::sort(places.begin(), places.end());
  Census ranks;
  for (const std::int64_t place : places) {
    if (ranks.empty() || ranks.back().first != place) ranks.emplace_back(place, 0);
    ranks.back().second += 1;
  }
  return ranks;
}

/// Loads of the links that each place has to the rest of the network.
class Loads {
 public:
  explicit Loads(std::int64_t places) : loads_(static_cast<std::size_t>(places)) {}

  /// Messages of one group that leave each place; as many arrive, for a group is symmetric.
  void add(const Census& group, double size) {
    for (const auto& [place, ranks] : group)
      loads_[static_cast<std::size_t>(place)] += ranks * (size - ranks);
  }
  void add(std::int64_t place, double messages) {
    loads_[static_cast<std::size_t>(place)] += messages;
  }
  double all() const { return std::accumulate(loads_.begin(), loads_.end(), 0.0); }
  BusiestLink busiest_node() const {
    const auto [node, load] = most();
    return {load, "the link of node " + std::to_string(node)};
  }
  BusiestLink busiest(const Uplinks& level) const {
    const auto [place, load] = most();
    return {load / level.capacity, level.name(place)};
  }

 private:
  std::pair<std::int64_t, double> most() const {
    const auto found = std::max_element(loads_.begin(), loads_.end());
    return {found - loads_.begin(), *found};
  }

  std::vector<double> loads_;
};

Loads loads_of(std::span<const std::vector<std::int64_t>> groups,
               std::span<const std::int64_t> node_of, std::int64_t places,
               std::int64_t nodes_per_place) {
  Loads loads(places);
  for (const auto& group : groups)
    loads.add(census(group, node_of, nodes_per_place), static_cast<double>(group.size()));
  return loads;
}

BusiestLink busier(const BusiestLink& one, const BusiestLink& other) {
  return other.load > one.load ? other : one;
}

/// Of links that are counted apart, those of the destinations: what goes up, and what comes down.
BusiestLink busiest_apart(const Uplinks& level, std::span<const std::vector<std::int64_t>> groups,
                          std::span<const std::int64_t> node_of) {
  Loads up(level.places());
  Loads down(level.places());
  for (const auto& group : groups) {
    std::vector<double> to_kind(static_cast<std::size_t>(level.apart));
    std::map<std::int64_t, std::vector<double>> to_switch;  ///< by kind of link
    for (const std::int64_t rank : group) {
      const std::int64_t node = node_of[static_cast<std::size_t>(rank)];
      const auto kind = static_cast<std::size_t>(node % level.apart);
      to_switch.try_emplace(node / level.below, to_kind.size()).first->second[kind] += 1;
      to_kind[kind] += 1;
    }
    for (const auto& [number, here] : to_switch) {
      const double ranks = std::accumulate(here.begin(), here.end(), 0.0);
      for (std::size_t kind = 0; kind < here.size(); ++kind) {
        const std::int64_t place = number * level.apart + static_cast<std::int64_t>(kind);
        up.add(place, ranks * (to_kind[kind] - here[kind]));
        down.add(place, here[kind] * (static_cast<double>(group.size()) - ranks));
      }
    }
  }
  return busier(up.busiest(level), down.busiest(level));
}

BusiestLink of_fat_tree(const Topology& topology, std::span<const std::vector<std::int64_t>> groups,
                        std::span<const std::int64_t> node_of) {
  BusiestLink busiest;
  for (const Uplinks& level : uplinks_of(topology))
    busiest = busier(busiest,
                     level.apart > 1
                         ? busiest_apart(level, groups, node_of)
                         : loads_of(groups, node_of, level.switches, level.below).busiest(level));
  return busiest;
}

BusiestLink of_dragonfly(const Topology& topology,
                         std::span<const std::vector<std::int64_t>> groups,
                         std::span<const std::int64_t> node_of) {
  Dragonfly network(topology);
  for (const auto& group : groups) {
    const Census switches = census(group, node_of, topology.nodes_per_switch);
    for (const auto& [from, senders] : switches)
      for (const auto& [to, receivers] : switches)
        if (from != to) network.send(from, to, senders * receivers);
  }
  return network.busiest();
}

}  // namespace

void check(const Topology& topology) {
  if (topology.nodes < 1) refuse("there must be at least one node", std::to_string(topology.nodes));
  if (!(topology.bisection >= 0) || !(topology.link > 0))
    refuse("capacities must be positive, the bisection's may be 0 for all nodes",
           std::to_string(topology.bisection) + " and " + std::to_string(topology.link));
  if (topology.network == Network::torus) {
    if (!product_is(topology.extents, topology.nodes))
      refuse("the extents of a torus must multiply to its " + std::to_string(topology.nodes) +
                 " nodes",
             listed(topology.extents));
    if (topology.rings.size() != topology.extents.size())
      refuse(
          "a torus needs for each axis whether it is a ring",
          std::to_string(topology.rings.size()) + " of " + std::to_string(topology.extents.size()));
  }
  if (topology.network == Network::fat_tree) {
    if (!product_is(topology.arity, topology.nodes))
      refuse("the arities of a fat tree must multiply to its " + std::to_string(topology.nodes) +
                 " nodes",
             listed(topology.arity));
    if (topology.uplinks.size() + 1 != topology.arity.size() ||
        std::any_of(topology.uplinks.begin(), topology.uplinks.end(),
                    [](double capacity) { return !(capacity > 0); }))
      refuse("a fat tree needs a positive capacity between each two levels",
             std::to_string(topology.uplinks.size()) + " for " +
                 std::to_string(topology.arity.size()) + " levels");
    if (topology.routes_by_destination) check_links_apart(topology.uplinks);
  }
  if (topology.network == Network::dragonfly) {
    const std::int64_t factors[] = {topology.switches, topology.nodes_per_switch};
    if (factors[0] < 1 || factors[1] < 1 || topology.nodes % factors[0] != 0 ||
        topology.nodes / factors[0] % factors[1] != 0)
      refuse("groups of a dragonfly, switches times nodes of a switch, must divide its " +
                 std::to_string(topology.nodes) + " nodes",
             listed(factors));
  }
  check_order(topology);
}

BusiestLink busiest_link(const Topology& topology,
                         std::span<const std::vector<std::int64_t>> groups,
                         std::span<const std::int64_t> node_of) {
  const Loads nodes = loads_of(groups, node_of, topology.nodes, 1);
  BusiestLink busiest = nodes.busiest_node();
  switch (topology.network) {
    case Network::crossbar:
      if (topology.bisection > 0)
        busiest = busier(busiest, {nodes.all() / topology.bisection, "the switch"});
      break;
    case Network::hub:
      busiest = {nodes.all(), "the hub"};
      break;
    case Network::fat_tree:
      busiest = busier(busiest, of_fat_tree(topology, groups, node_of));
      break;
    case Network::torus:
      busiest = busier(busiest, busiest_torus_link(topology, groups, node_of));
      break;
    case Network::dragonfly:
      busiest = busier(busiest, of_dragonfly(topology, groups, node_of));
      break;
  }
  return busiest;
}

}  // namespace weft::model
