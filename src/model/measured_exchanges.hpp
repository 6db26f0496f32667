#pragma once

#include <weft/machine.hpp>

namespace weft::model {

/// Returns the blocking factor of an exchange. It is the time of a message of `message_bytes` bytes
/// in the exchange, divided by the time if only one pair of ranks sends. It is 1 if the machine has
/// no measured blocking factors.
double blocking_of(const Machine& machine, const Exchange& exchange, double message_bytes);

/// A straight line: the time of an all-to-all as a function of the bytes for each pair.
struct FittedCall {
  double start_s = 0;
  double s_per_byte = 0;
};

/// Returns the fit for an all-to-all of `ranks` ranks and `bytes` bytes for each pair. It is
/// interpolated between the measured numbers of ranks. machine.all_to_all must not be empty.
FittedCall fitted_call(const Machine& machine, double ranks, double bytes);

}  // namespace weft::model
