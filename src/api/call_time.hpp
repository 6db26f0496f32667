#pragma once

#include <weft/machine.hpp>

#include "comm/communicator.hpp"

namespace weft::api {

/// Measures call_s of the machine. The ranks of each node run a transform of a few points, all
/// nodes at once. call_s is its time, minus the time that the other figures predict, and at least
/// 0. All ranks take the value of the slowest node.
///
/// Collective. Cost: some milliseconds, a few KiB.
void measure_call(Machine& machine, const comm::Communicator& comm, int threads);

}  // namespace weft::api
