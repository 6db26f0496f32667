#pragma once

#include "comm/communicator.hpp"

namespace weft::probe {

/// How much longer than on cores of their own ranks take that compute, all at once, in so many threads
/// each: the time that passes over the processors' time of a thread, the mean of all ranks.
///
/// About 1 where there are the cores that nodes say they have. Containers, or a machine that plays a
/// cluster, may share them among nodes that do not know of each other. Collective; spins for `seconds`.
double crowding(const comm::Communicator& comm, int threads, double seconds);

/// Seconds that this process has had of processors, all threads together.
double processor_s();

}  // namespace weft::probe
