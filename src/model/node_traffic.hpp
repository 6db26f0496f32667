#pragma once

#include <weft/layout.hpp>

#include "model/placement.hpp"

namespace weft::model {

/// What the busiest node of an exchange between process grids moves, in elements.
struct NodeTraffic {
  std::int64_t rank = 0;  ///< one of its ranks
  std::int64_t far = 0;   ///< sent to other nodes or got from them, whichever is more
  std::int64_t near = 0;  ///< stays on it
};

/// Nodes of more than 16 ranks that are not consecutive are left out, for what they own together is of
/// as many boxes. Of up to 16 nodes all are looked at, of more a sample of 8, the first and the last among them.
///
/// Cost: for each of these nodes its ranks, and the common part of each two of the boxes that they make
/// up: up to five where they are consecutive.
NodeTraffic busiest_node(const Layout& from, const Layout& to, const Placement& placement);

}  // namespace weft::model
