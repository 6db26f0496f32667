#include "model/topology.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

#include <weft/error.hpp>

#include "model/dragonfly.hpp"
#include "model/rank_order.hpp"
#include "model/torus.hpp"

namespace weft::model {
namespace {

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
  double all() const { return std::accumulate(loads_.begin(), loads_.end(), 0.0); }
  BusiestLink busiest(double capacity, const std::string& name) const {
    const auto most = std::max_element(loads_.begin(), loads_.end());
    if (most == loads_.end()) return {};
    return {*most / capacity, name + std::to_string(most - loads_.begin())};
  }

 private:
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

BusiestLink of_fat_tree(const Topology& topology, std::span<const std::vector<std::int64_t>> groups,
                        std::span<const std::int64_t> node_of) {
  BusiestLink busiest;
  std::int64_t below = 1;
  for (std::size_t level = 0; level < topology.uplinks.size(); ++level) {
    below *= topology.arity[level];
    const Loads loads = loads_of(groups, node_of, (topology.nodes + below - 1) / below, below);
    busiest =
        busier(busiest, loads.busiest(topology.uplinks[level],
                                      "the links above switch " + std::to_string(level) + "."));
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
  BusiestLink busiest = nodes.busiest(1, "the link of node ");
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
