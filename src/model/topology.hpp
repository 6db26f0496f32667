#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include <weft/machine.hpp>

namespace weft::model {

/// Throws invalid_argument for a network that cannot be: the rule, the value.
void check(const Topology&);

/// The busiest link of an exchange and its load: bytes that pass it, divided by its capacity, where
/// every message has one byte. So load x bytes / (a node's rate) is a lower bound of the time.
struct BusiestLink {
  double load = 0;
  std::string name;  ///< "the link of node 3", "axis 1, forward, at node 12"
};

/// Of exchanges that go on at once: in each group every rank sends a message to every other one.
/// `node_of[rank]` says where a rank is; messages within a node pass no link. Messages take the
/// shortest way, axis by axis on a torus, half of them each way where both are as short. `at_once`:
/// those of a rank are under way together.
/// Cost: nodes x axes, and for each group on a torus its ranks x axes where it lies on every combination
/// of some places on each axis, else the product of its shadows on two complementary sets of axes; at
/// most the square of its ranks.
BusiestLink busiest_link(const Topology&, std::span<const std::vector<std::int64_t>> groups,
                         std::span<const std::int64_t> node_of, bool at_once = true);

}  // namespace weft::model
