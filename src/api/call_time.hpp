#pragma once

#include <weft/machine.hpp>

#include "comm/communicator.hpp"

namespace weft::api {

/// Measures call_s of the machine. A transform of a few points runs on the ranks of a node, all
/// nodes at once. Its time, less the time that the other figures predict, is call_s (at least 0).
/// The slowest node decides, so that all ranks have the same value.
///
/// Collective. Cost: some milliseconds; a few KiB.
void measure_call(Machine& machine, const comm::Communicator& comm, int threads);

}  // namespace weft::api
