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
#include "plan/readable.hpp"

namespace weft::model {
namespace {

/// Maximum number of links above a switch that are counted one by one.
constexpr std::int64_t links_apart_max = 65536;
/// Maximum number of nodes; no machine has more. Counting needs memory for each node, and time for
/// each node if messages go in rounds.
constexpr std::int64_t nodes_max = std::int64_t{1} << 20;
constexpr std::int64_t links_max = std::int64_t{1} << 22;

[[noreturn]] void refuse(const std::string& rule, const std::string& given) {
  throw Error(ErrorCode::invalid_argument, "topology: " + rule + "; given " + given);
}

std::string listed(std::span<const std::int64_t> values) {
  std::string text = "[";
  for (const std::int64_t value : values)
    text += (text.size() > 1 ? ", " : "") + std::to_string(value);
  return text + "]";
}

/// Returns whether the product is `wanted`. Compares without overflow: extents come from a file.
bool product_is(std::span<const std::int64_t> factors, std::int64_t wanted) {
  std::int64_t left = wanted;
  for (const std::int64_t factor : factors) {
    if (factor < 1 || left % factor != 0) return false;
    left /= factor;
  }
  return left == 1;
}

/// Checks the links of a fat tree in which the destination of a message decides its link. Each link
/// is as fast as a node's link. Each link leads to the same number of links of the next level.
void check_links_apart(std::span<const double> uplinks) {
  double below = 1;
  for (const double links : uplinks) {
    if (links > static_cast<double>(links_apart_max) || std::fmod(links, below) != 0)
      refuse("if routes go by destination, uplinks must be whole numbers of links up to " +
                 std::to_string(links_apart_max) + ", each level's a multiple of the one below",
             readable_number(links) + " above " + readable_number(below));
    below = links;
  }
}

void at_most(const std::string& what, std::int64_t limit, std::int64_t given) {
  if (given > limit)
    refuse(what + " must be at most " + std::to_string(limit),
           std::to_string(given) + "; describe the part of the machine that ranks run on");
}

/// Each axis needs a letter.
void check_axes(const char* key, std::size_t axes) {
  at_most(std::string("the numbers in ") + key, static_cast<std::int64_t>(most_axes),
          static_cast<std::int64_t>(axes));
}

void check_links(std::int64_t links) {
  at_most("the links that are counted one by one", links_max, links);
}

/// Returns the number of links of all levels. No product exceeds nodes_max * links_apart_max.
std::int64_t links_of_fat_tree(const Topology& tree) {
  std::int64_t links = 0;
  for (const Uplinks& level : uplinks_of(tree)) links += level.places();
  return links;
}

void check_torus(const Topology& torus) {
  check_axes("extents", torus.extents.size());
  if (!product_is(torus.extents, torus.nodes))
    refuse("the extents of a torus must multiply to its " + std::to_string(torus.nodes) + " nodes",
           listed(torus.extents));
  if (torus.rings.size() != torus.extents.size())
    refuse("a torus needs for each axis whether it is a ring",
           std::to_string(torus.rings.size()) + " of " + std::to_string(torus.extents.size()));
  check_links(torus.nodes * static_cast<std::int64_t>(torus.extents.size()));
}

void check_fat_tree(const Topology& tree) {
  check_axes("arity", tree.arity.size());
  if (!product_is(tree.arity, tree.nodes))
    refuse(
        "the arities of a fat tree must multiply to its " + std::to_string(tree.nodes) + " nodes",
        listed(tree.arity));
  if (tree.uplinks.size() + 1 != tree.arity.size() ||
      std::any_of(tree.uplinks.begin(), tree.uplinks.end(),
                  [](double capacity) { return !(capacity > 0); }))
    refuse("a fat tree needs a positive capacity between each two levels",
           std::to_string(tree.uplinks.size()) + " for " + std::to_string(tree.arity.size()) +
               " levels");
  if (tree.routes_by_destination) check_links_apart(tree.uplinks);
  check_links(links_of_fat_tree(tree));
}

void check_dragonfly(const Topology& dragonfly) {
  const std::int64_t factors[] = {dragonfly.switches, dragonfly.nodes_per_switch};
  if (factors[0] < 1 || factors[1] < 1 || dragonfly.nodes % factors[0] != 0 ||
      dragonfly.nodes / factors[0] % factors[1] != 0)
    refuse("groups of a dragonfly, switches times nodes of a switch, must divide its " +
               std::to_string(dragonfly.nodes) + " nodes",
           listed(factors));
}

/// The places of one group in ascending order, each with its number of ranks.
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

/// Returns the number of nodes with ranks. In any order of ranks, these are the first nodes. Only
/// these nodes are examined.
std::int64_t nodes_in_use(std::span<const std::int64_t> node_of) {
  return node_of.empty() ? 1 : 1 + *std::max_element(node_of.begin(), node_of.end());
}

/// Loads of the links from each place to the rest of the network.
class Loads {
 public:
  explicit Loads(std::int64_t places) : loads_(static_cast<std::size_t>(places)) {}

  /// Adds the messages of one group that leave each place. As many messages arrive at the place.
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
               std::span<const std::int64_t> node_of, std::int64_t nodes_per_place) {
  Loads loads((nodes_in_use(node_of) - 1) / nodes_per_place + 1);
  for (const auto& group : groups)
    loads.add(census(group, node_of, nodes_per_place), static_cast<double>(group.size()));
  return loads;
}

/// Returns the busiest link of a level whose links are counted alone, upwards and downwards.
BusiestLink busiest_apart(const Uplinks& level, std::span<const std::vector<std::int64_t>> groups,
                          std::span<const std::int64_t> node_of) {
  const std::int64_t switches = (nodes_in_use(node_of) - 1) / level.below + 1;
  Loads up(switches * level.apart);
  Loads down(switches * level.apart);
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

/// Returns the load of a link above a switch, plus its idle time. The link idles while the nodes
/// below prefer short routes.
///
/// Each node below sends `node` messages. `far` of them pass the link, on routes of 2 (level + 2)
/// links. The others have routes of 2 (level + 1) links. Until the others are done, their share of
/// the node's own link is larger by the ratio of the two lengths. Only then the link above gets its
/// full load. If this link is full from the start, nothing is lost.
double with_short_ways_first(double load, double node, double far, std::int64_t level) {
  if (far <= 0 || far >= node) return load;
  const double favoured = static_cast<double>(level + 2) / static_cast<double>(level + 1);
  const double weights = (node - far) * favoured + far;
  return std::max(load, weights / favoured + (1 - 1 / favoured) * load);
}

BusiestLink of_fat_tree(const Topology& topology, std::span<const std::vector<std::int64_t>> groups,
                        std::span<const std::int64_t> node_of, bool at_once) {
  BusiestLink busiest;
  for (const Uplinks& level : uplinks_of(topology)) {
    BusiestLink link = level.apart > 1 ? busiest_apart(level, groups, node_of)
                                       : loads_of(groups, node_of, level.below).busiest(level);
    if (topology.short_ways_first && at_once) {
      const double node = loads_of(groups, node_of, 1).busiest_node().load;
      const double above = loads_of(groups, node_of, level.below).busiest_node().load;
      link.load = with_short_ways_first(link.load, node, above / static_cast<double>(level.below),
                                        level.level);
    }
    busiest = busier(busiest, link);
  }
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
  at_most("nodes", nodes_max, topology.nodes);
  if (!(topology.bisection >= 0) || !(topology.link > 0))
    refuse("capacities must be positive, the bisection's may be 0 for all nodes",
           readable_number(topology.bisection) + " and " + readable_number(topology.link));
  switch (topology.network) {
    case Network::crossbar:
    case Network::hub:
      break;
    case Network::torus:
      check_torus(topology);
      break;
    case Network::fat_tree:
      check_fat_tree(topology);
      break;
    case Network::dragonfly:
      check_dragonfly(topology);
      break;
  }
  check_order(topology);
}

BusiestLink busier(const BusiestLink& one, const BusiestLink& other) {
  return other.load > one.load ? other : one;
}

BusiestLink busiest_link(const Topology& topology,
                         std::span<const std::vector<std::int64_t>> groups,
                         std::span<const std::int64_t> node_of, bool at_once) {
  const Loads nodes = loads_of(groups, node_of, 1);
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
      busiest = busier(busiest, of_fat_tree(topology, groups, node_of, at_once));
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
