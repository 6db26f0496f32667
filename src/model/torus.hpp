#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "model/topology.hpp"

namespace weft::model {

/// As busiest_link() for a torus, without the nodes' own links.
BusiestLink busiest_torus_link(const Topology& torus,
                               std::span<const std::vector<std::int64_t>> groups,
                               std::span<const std::int64_t> node_of);

}  // namespace weft::model
