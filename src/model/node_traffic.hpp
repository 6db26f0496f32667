#pragma once

#include <weft/layout.hpp>

#include "model/placement.hpp"

namespace weft::model {

/// Elements that the busiest node moves in an exchange between process grids.
struct NodeTraffic {
  std::int64_t rank = 0;  ///< one of its ranks
  std::int64_t far = 0;   ///< the larger of the elements sent to other nodes and those received
  std::int64_t near = 0;  ///< elements that stay on the node
};

/// Returns the traffic of the busiest node. Examines every node if there are at most 16, otherwise
/// a sample of 8 with the first and the last. Skips a node if it has more than 16 ranks and these
/// are not consecutive, because such ranks own too many boxes.
///
/// Cost: for each examined node, its ranks and the intersections of its boxes, pair by pair.
/// Consecutive ranks have at most five boxes together.
NodeTraffic busiest_node(const Layout& from, const Layout& to, const Placement& placement);

}  // namespace weft::model
