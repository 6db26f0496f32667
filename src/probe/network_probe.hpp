#pragma once

#include <weft/machine.hpp>

#include "probe/extent.hpp"
#include "probe/timing.hpp"

namespace weft::probe {

/// The placement of ranks: the same number on each node, numbered node by node.
struct ProbedRanks {
  std::int64_t ranks_per_node = 1;
  std::int64_t nodes = 1;
};
/// Returns the placement. If nodes differ in ranks, or ranks of a node are not consecutive, the
/// first node decides. Collective.
ProbedRanks placement_of(const comm::Communicator& comm);

/// Measures t_s and t_w of messages in both directions at once: between neighbours within all
/// nodes, or between the first ranks of adjacent nodes. Collective; empty if there are no such
/// ranks.
Link measure_link(Timing& timing, const Extent& extent, const comm::Communicator& comm,
                  const ProbedRanks& placement, bool within_node);

/// Measures the time that each further short message adds when many leave at once, in both
/// directions: between nodes, or within the only node. Collective; 0 on one rank.
double measure_request(Timing& timing, const comm::Communicator& comm,
                       const ProbedRanks& placement);

/// Measures the bytes per second that 1, 2, ... cores of a node read and write together.
/// Collective.
std::vector<double> measure_memory(Timing& timing, const Extent& extent,
                                   const comm::Communicator& comm, const ProbedRanks& placement,
                                   int threads, std::int64_t cores);

/// Returns the time of a barrier of all ranks, divided by log2 of their number: the time of a
/// barrier of two ranks. Collective; 0 on one rank.
double measure_barrier(Timing& timing, const comm::Communicator& comm);

}  // namespace weft::probe
