#pragma once

#include <weft/machine.hpp>

namespace weft::model {

/// Returns the factor by which the messages of an exchange, of `message_bytes` bytes, are slower
/// than a pair alone.
double blocking_of(const Machine& machine, const Exchange& exchange, double message_bytes);

/// A straight piece of the curve of an all-to-all's time.
struct FittedCall {
  double start_s = 0;
  double s_per_byte = 0;
};

/// Returns the fit for an all-to-all of `ranks` ranks and `bytes` bytes for each pair, between the
/// measured numbers of ranks. Needs machine.all_to_all.
FittedCall fitted_call(const Machine& machine, double ranks, double bytes);

}  // namespace weft::model
