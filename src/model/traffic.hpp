#pragma once

#include <cstdint>
#include <map>
#include <tuple>

#include <weft/layout.hpp>

#include "model/placement.hpp"

namespace weft::model {

/// The traffic of a rank of the busiest node of an exchange: to ranks of its node, and to others.
/// The bytes to other nodes are the mean of the node's ranks if these differ, because they share
/// its link.
struct Traffic {
  double near_bytes = 0;
  double far_bytes = 0;
  double near_messages = 0;
  double far_messages = 0;
  double longest = 0;  ///< bytes of the longest message to another node

  double bytes() const { return near_bytes + far_bytes; }
  double messages() const { return near_messages + far_messages; }
};

/// Returns the traffic. Cost: between process grids the ranks of a node, and busiest_node();
/// otherwise the messages of one rank.
Traffic traffic_of(const Layout& from, const Layout& to, double element_bytes,
                   const Placement& placement);

/// Cache of traffic between process grids, for one placement of ranks: plans of one problem share
/// most of it.
class KnownTraffic {
 public:
  Traffic of(const Layout& from, const Layout& to, double element_bytes,
             const Placement& placement);

 private:
  using Grid = std::tuple<Shape, std::int64_t>;  ///< with its first rank
  std::map<std::tuple<Shape, Grid, Grid, double>, Traffic> known_;
};

}  // namespace weft::model
