#pragma once

#include <weft/machine.hpp>

#include "probe/extent.hpp"
#include "probe/timing.hpp"

namespace weft::probe {

/// Where ranks are: so many on each node, numbered node by node.
struct ProbedRanks {
  std::int64_t ranks_per_node = 1;
  std::int64_t nodes = 1;
};
/// Collective. Where nodes are not runs of as many consecutive ranks, the first node decides.
ProbedRanks placement_of(const comm::Communicator& comm);

/// t_s and t_w of messages both ways at once: between neighbours of all nodes, or between the first
/// ranks of nodes next to each other. Collective; empty where there are no such ranks.
Link measure_link(Timing& timing, const Extent& extent, const comm::Communicator& comm,
                  const ProbedRanks& placement, bool within_node);

/// What each further short message adds where many leave at once, both ways: between nodes where there
/// are some, else within one. Collective; 0 on one rank.
double measure_request(Timing& timing, const comm::Communicator& comm,
                       const ProbedRanks& placement);

/// Bytes a second that 1, 2, ... cores of a node read and write together. Collective.
std::vector<double> measure_memory(Timing& timing, const Extent& extent,
                                   const comm::Communicator& comm, const ProbedRanks& placement,
                                   int threads, std::int64_t cores);

/// Of two ranks. Collective.
double measure_barrier(Timing& timing, const comm::Communicator& comm);

}  // namespace weft::probe
