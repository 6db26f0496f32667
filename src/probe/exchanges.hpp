#pragma once

#include <string>
#include <vector>

#include <weft/machine.hpp>

#include "probe/extent.hpp"
#include "probe/network_probe.hpp"
#include "probe/timing.hpp"

namespace weft::probe {

/// The speed of exchanges among all nodes, measured with weft's exchanges between the first ranks
/// of the nodes.
struct Exchanges {
  std::vector<Blocking> blocking;
  std::vector<AllToAll> all_to_all;
  std::vector<std::string> assumed;  ///< incomplete measurements: "... beyond 65536 bytes"
};

/// Measures each schedule among all nodes, and all-to-all calls of 2, 4, ... neighbours and of all
/// nodes, by message length. Lengths that do not fit in the remaining time are extrapolated and
/// named as assumed. The machine's link between nodes (of pairs alone) and request_s must be
/// measured before. Collective; empty on fewer than two nodes.
Exchanges measure_exchanges(Timing& timing, const Extent& extent, const comm::Communicator& comm,
                            const ProbedRanks& placement, const Machine& machine);

}  // namespace weft::probe
