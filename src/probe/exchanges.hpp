#pragma once

#include <string>
#include <vector>

#include <weft/machine.hpp>

#include "probe/extent.hpp"
#include "probe/network_probe.hpp"
#include "probe/timing.hpp"

namespace weft::probe {

/// How all nodes exchange with each other, by weft's own exchanges of the first ranks of the nodes.
struct Exchanges {
  std::vector<Blocking> blocking;
  std::vector<AllToAll> all_to_all;
  std::vector<std::string> assumed;  ///< what was not measured to the end: "... beyond 65536 bytes"
};

/// Each schedule among all nodes, and all-to-all calls within 2, 4, ... neighbours and all nodes, by
/// message length; what may take more than is left of the time is taken to go on as it did, and named
/// as assumed. The machine's link between nodes, of pairs alone, and request_s are measured.
/// Collective; empty on fewer than two nodes.
Exchanges measure_exchanges(Timing& timing, const Extent& extent, const comm::Communicator& comm,
                            const ProbedRanks& placement, const Machine& machine);

}  // namespace weft::probe
