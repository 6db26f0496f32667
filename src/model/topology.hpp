#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include <weft/machine.hpp>

namespace weft::model {

/// Throws invalid_argument for an impossible network; the message has the rule and the value.
void check(const Topology&);

/// The busiest link of an exchange, and its load. The load is the number of messages on the link,
/// divided by the link's capacity in units of a node's rate. So load x (bytes of a message) / (a
/// node's rate) is a lower bound of the time.
struct BusiestLink {
  double load = 0;
  std::string name;  ///< "the link of node 3", "axis 1, forward, at node 12"
};

/// Returns the link with the larger load; `one` if both loads are equal.
BusiestLink busier(const BusiestLink& one, const BusiestLink& other);

/// Returns the busiest link of concurrent exchanges. In each group every rank sends a message to
/// every other one. `node_of[rank]` is the node of a rank; messages within a node use no link.
/// Messages take the shortest route, on a torus axis by axis. If both directions are equally short,
/// half of the messages go each way; with ties_forward all of them go forward. `at_once`: the
/// messages of a rank are under way together.
/// Cost: nodes x axes. A torus adds the cost of each group. A group is a lattice if it has every
/// combination of some places on each axis, with equally many ranks on each node. A lattice costs
/// its ranks x axes. Another group costs the product of its projections on two complementary sets
/// of axes, at most the square of its ranks.
BusiestLink busiest_link(const Topology&, std::span<const std::vector<std::int64_t>> groups,
                         std::span<const std::int64_t> node_of, bool at_once = true);

}  // namespace weft::model
