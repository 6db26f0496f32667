#pragma once

#include <cstdint>
#include <functional>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include <weft/machine.hpp>

namespace weft::test_support {

inline Topology torus(std::vector<std::int64_t> extents, bool rings = true) {
  Topology topology;
  topology.network = Network::torus;
  topology.nodes = std::accumulate(extents.begin(), extents.end(), std::int64_t{1},
                                   std::multiplies<std::int64_t>());
  topology.rings.assign(extents.size(), rings);
  topology.extents = std::move(extents);
  return topology;
}

/// Returns a torus with this order of ranks.
inline Topology torus(std::vector<std::int64_t> extents, std::string order) {
  Topology topology = torus(std::move(extents));
  topology.order = std::move(order);
  return topology;
}
inline Topology torus(std::vector<std::int64_t> extents, const char* order) {
  return torus(std::move(extents), std::string(order));  // without std::string, the pointer would
                                                         // be converted to bool
}

}  // namespace weft::test_support
