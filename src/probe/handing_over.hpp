#pragma once

#include <functional>

#include <weft/machine.hpp>

#include "probe/local.hpp"
#include "probe/timing.hpp"

namespace weft::probe {

/// Measures the additional time of reading data that other ranks of the node have just written. It
/// is the time of transforms with one exchange through node memory, less the prediction from the
/// machine's other figures. Sets handed_over_s_per_byte in the entries of `machine.copying` for
/// which is_wanted() is true. Collective.
///
/// Returns false, and changes nothing, if there is no such entry. It also does so if some node has
/// one rank, more than 64 ranks, or no node memory.
///
/// visits : how often each transform is timed, all in turn; see Timing::seconds_in_turn().
bool measure_handing_over(Timing& timing, int visits, Machine& machine,
                          const comm::Communicator& comm, const LocalProbe& local,
                          const std::function<bool(const Copying&)>& is_wanted);

}  // namespace weft::probe
