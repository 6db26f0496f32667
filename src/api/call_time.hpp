#pragma once

#include <weft/machine.hpp>

#include "comm/communicator.hpp"

namespace weft::api {

/// Measures the machine's call_s: what a transform of a few points takes on the ranks of a node, all
/// nodes at once, above what the machine's other figures say. The slowest node's, so that all ranks
/// have the same. 0 where the other figures say more.
///
/// Collective. Cost: some milliseconds; a few KiB.
void measure_call(Machine& machine, const comm::Communicator& comm, int threads);

}  // namespace weft::api
