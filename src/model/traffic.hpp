#pragma once

#include <cstdint>
#include <map>
#include <tuple>

#include <weft/layout.hpp>

#include "model/placement.hpp"

namespace weft::model {

/// The traffic of one rank of the busiest node of an exchange. "Near" is the traffic to ranks of
/// the same node, "far" to other nodes. If the ranks of the node send different amounts to other
/// nodes, far_bytes is their mean, because they share the node's link.
struct Traffic {
  double near_bytes = 0;
  double far_bytes = 0;
  double near_messages = 0;
  double far_messages = 0;
  double longest = 0;  ///< bytes of the longest message to another node

  double bytes() const { return near_bytes + far_bytes; }
  double messages() const { return near_messages + far_messages; }
};

/// Returns the traffic of an exchange. Cost between process grids: the ranks of a node, and
/// busiest_node(). Cost between other layouts: the messages of one rank.
Traffic traffic_of(const Layout& from, const Layout& to, double element_bytes,
                   const Placement& placement);

/// Cache of traffic between process grids, for one placement of ranks. Plans of one problem have
/// most exchanges in common.
class KnownTraffic {
 public:
  Traffic of(const Layout& from, const Layout& to, double element_bytes,
             const Placement& placement);

 private:
  using Grid = std::tuple<Shape, std::int64_t>;  ///< process grid, first rank
  std::map<std::tuple<Shape, Grid, Grid, double>, Traffic> known_;
};

}  // namespace weft::model
