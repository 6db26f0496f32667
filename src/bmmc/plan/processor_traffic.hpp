#pragma once

#include <cstdint>
#include <vector>

#include "bmmc/plan/permutation_pass.hpp"

namespace weft::bmmc {

/// Traffic from one processor to others in a pass. Each group of the pass is one load of memory.
struct ProcessorTraffic {
  int rank = 0;               ///< rho: either a share of 1 - 2^-rho of all records leaves its
                              ///< processor, or all records do
  std::int64_t records = 0;   ///< records sent in all loads, the average over the processors
  std::int64_t messages = 0;  ///< messages sent in all loads by the busiest processor
  bool alike = true;          ///< the set of changes (target processor xor source processor) is the
                              ///< same for all processors
};

/// Returns the traffic of a pass. A record crosses when the processor bits of its source and target
/// differ, so rho is the rank of the processor rows of A - I.
///
/// In each load, a processor sends one message to each processor that receives some of its records.
/// The complement counts too. Cost: a few matrix ranks over GF(2), independent of the number of
/// records. Errors: Error(internal) if the groups of the pass do not use all processors equally.
ProcessorTraffic processor_traffic(const PermutationPass& pass, const DiskModel& disks);

/// Returns the smallest possible average number of records that a processor sends, for any sequence
/// of passes. These are the records whose target is on another processor.
std::int64_t least_crossing(const Bmmc& permutation, const DiskModel& disks);

/// Returns the average number of records that a processor sends, summed over all passes.
std::int64_t processor_traffic(const std::vector<PermutationPass>& passes, const DiskModel& disks);

}  // namespace weft::bmmc
