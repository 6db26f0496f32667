#pragma once

#include <weft/machine.hpp>

namespace weft::model {

/// How much longer than a pair alone an exchange's messages of so many bytes take to send.
double blocking_of(const Machine& machine, const Exchange& knobs, double message_bytes);

/// A straight piece of what an all-to-all takes.
struct FittedCall {
  double start_s = 0;
  double s_per_byte = 0;
};

/// The fit for an all-to-all of so many ranks and bytes for each pair: between the numbers of ranks
/// that were measured. Needs machine.all_to_all.
FittedCall fitted_call(const Machine& machine, double ranks, double bytes);

}  // namespace weft::model
