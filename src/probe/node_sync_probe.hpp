#pragma once

#include <functional>

#include <weft/machine.hpp>

#include "probe/timing.hpp"

namespace weft::probe {

/// What the ranks of a node lose because they read what others have just written: of transforms with
/// one exchange through node memory, the time above what the machine's other figures say. Enters
/// handed_over_s_per_byte of those of the machine's copying that `which` says; false, and nothing,
/// where no ranks share memory. Collective.
bool measure_handing_over(Timing& timing, int visits, Machine& machine,
                          const comm::Communicator& comm, int threads,
                          const std::function<bool(const Copying&)>& which);

}  // namespace weft::probe
