#pragma once

#include <weft/layout.hpp>

#include "model/placement.hpp"

namespace weft::model {

/// Elements that the busiest node moves in an exchange between process grids.
struct NodeTraffic {
  std::int64_t rank = 0;  ///< one of its ranks
  std::int64_t far = 0;   ///< sent to other nodes or received from them, whichever is more
  std::int64_t near = 0;  ///< stays on it
};

/// Returns the traffic of the busiest node. Skips nodes of more than 16 ranks that are not
/// consecutive, because these own too many boxes together. Examines all of up to 16 nodes; of more
/// nodes a sample of 8, which includes the first and the last.
///
/// Cost: for each of these nodes its ranks, and the intersections of its boxes, pair by pair.
/// Consecutive ranks make up at most five boxes.
NodeTraffic busiest_node(const Layout& from, const Layout& to, const Placement& placement);

}  // namespace weft::model
