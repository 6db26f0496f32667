#pragma once

#include <cstdint>
#include <map>
#include <tuple>

#include <weft/layout.hpp>

#include "model/placement.hpp"

namespace weft::model {

/// What a rank of the busiest node of an exchange moves: to ranks of its node, and to those of others.
/// The bytes to others are the mean of its node's ranks where these differ, for they share its link.
struct Traffic {
  double near_bytes = 0;
  double far_bytes = 0;
  double near_messages = 0;
  double far_messages = 0;
  double longest = 0;  ///< bytes of the longest message to another node

  double bytes() const { return near_bytes + far_bytes; }
  double messages() const { return near_messages + far_messages; }
};

/// Cost: between process grids the ranks of a node, and busiest_node(); else the messages of one rank.
Traffic traffic_of(const Layout& from, const Layout& to, double element_bytes,
                   const Placement& placement);

/// Traffic between process grids that was counted before, ranks placed as now: plans of one problem
/// share most of it.
class KnownTraffic {
 public:
  Traffic of(const Layout& from, const Layout& to, double element_bytes,
             const Placement& placement);

 private:
  using Grid = std::tuple<Shape, std::int64_t>;  ///< and its first rank
  std::map<std::tuple<Shape, Grid, Grid, double>, Traffic> known_;
};

}  // namespace weft::model
