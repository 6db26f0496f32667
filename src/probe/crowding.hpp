#pragma once

#include "comm/communicator.hpp"

namespace weft::probe {

/// Returns the slowdown of ranks that compute concurrently, with `threads` threads each, relative
/// to exclusive cores. It is the elapsed time divided by the processor time of a thread, both
/// summed over all ranks.
///
/// It is about 1 if the nodes have the cores that they report. Containers, or a machine that
/// simulates a cluster, may share cores between nodes. Collective; spins for `seconds`.
double crowding(const comm::Communicator& comm, int threads, double seconds);

/// Returns the processor time of this process in seconds, for all threads together.
double processor_s();

}  // namespace weft::probe
