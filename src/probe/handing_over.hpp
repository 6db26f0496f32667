#pragma once

#include <weft/machine.hpp>

#include "probe/extent.hpp"
#include "probe/timing.hpp"

namespace weft::probe {

/// What the ranks of a node lose because they read what others have just written: of transforms with
/// one exchange through node memory, the time above what the machine's other figures say. Enters
/// handed_over_s_per_byte of the machine's copying; false, and nothing, where no ranks share memory. Collective.
bool measure_handing_over(Timing& timing, const Extent& extent, Machine& machine,
                          const comm::Communicator& comm, int threads);

}  // namespace weft::probe
