#pragma once

#include <weft/machine.hpp>

#include "comm/communicator.hpp"

namespace weft::api {

/// Measures call_s: the part of a call's time that the machine's other figures do not predict. All
/// nodes transform a few points at the same time, each with its own ranks. call_s is the measured
/// time minus the predicted time, or 0 if that is negative. All ranks get the value of the slowest
/// node.
///
/// Collective. Cost: some milliseconds, a few KiB.
void measure_call(Machine& machine, const comm::Communicator& comm, int threads);

}  // namespace weft::api
