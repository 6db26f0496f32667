#pragma once

#include <functional>

#include <weft/machine.hpp>

#include "probe/local.hpp"
#include "probe/timing.hpp"

namespace weft::probe {

/// Measures the cost of reading data that other ranks of the node have just written. It is the time
/// of transforms with one exchange through node memory, less the prediction from the machine's
/// other figures. Sets handed_over_s_per_byte in the entries of `machine.copying` for which `which`
/// is true. Returns false, without a change, if no ranks share memory. Collective.
bool measure_handing_over(Timing& timing, int visits, Machine& machine,
                          const comm::Communicator& comm, const LocalProbe& local,
                          const std::function<bool(const Copying&)>& which);

}  // namespace weft::probe
