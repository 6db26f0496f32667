#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include <weft/machine.hpp>

namespace weft::model {

/// Throws invalid_argument for an impossible network; the message has the rule and the value.
void check(const Topology&);

/// The busiest link of an exchange and its load: its bytes divided by its capacity, if every
/// message has one byte. So load x bytes / (a node's rate) is a lower bound of the time.
struct BusiestLink {
  double load = 0;
  std::string name;  ///< "the link of node 3", "axis 1, forward, at node 12"
};

/// Returns the link with the larger load, the first of equals.
BusiestLink busier(const BusiestLink& one, const BusiestLink& other);

/// Returns the busiest link of concurrent exchanges: in each group every rank sends a message to
/// every other one. `node_of[rank]` is the node of a rank; messages within a node pass no link.
/// Messages take the shortest route, axis by axis on a torus; if both directions are equally short,
/// half of them go each way. `at_once`: the messages of a rank are under way together. Cost: nodes
/// x axes. On a torus additionally, for each group that is a lattice (every combination of some
/// places on each axis), its ranks x axes. For other groups it is the product of the projections on
/// two complementary sets of axes; at most the square of the ranks.
BusiestLink busiest_link(const Topology&, std::span<const std::vector<std::int64_t>> groups,
                         std::span<const std::int64_t> node_of, bool at_once = true);

}  // namespace weft::model
