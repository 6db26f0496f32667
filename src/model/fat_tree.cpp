#include "model/fat_tree.hpp"

#include <cmath>

#include "base/rounding.hpp"

namespace weft::model {

std::string Uplinks::name(std::int64_t place) const {
  const std::string above =
      "above switch " + std::to_string(level) + "." + std::to_string(place / apart);
  return apart == 1 ? "the links " + above : "link " + std::to_string(place % apart) + " " + above;
}

std::vector<Uplinks> uplinks_of(const Topology& topology) {
  std::vector<Uplinks> levels;
  std::int64_t below = 1;
  for (std::size_t level = 0; level < topology.uplinks.size(); ++level) {
    below *= topology.arity[level];
    Uplinks links{static_cast<std::int64_t>(level), below, divided_up(topology.nodes, below), 1,
                  topology.uplinks[level]};
    if (topology.routes_by_destination) {
      links.apart = std::llround(topology.uplinks[level]);
      links.capacity = 1;
    }
    levels.push_back(links);
  }
  return levels;
}

}  // namespace weft::model
