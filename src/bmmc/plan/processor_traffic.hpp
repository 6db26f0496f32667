#pragma once

#include <cstdint>
#include <vector>

#include "bmmc/plan/permutation_pass.hpp"

namespace weft::bmmc {

/// Traffic of a processor to others in a pass; each group of the pass is one load of memory.
struct ProcessorTraffic {
  int rank = 0;               ///< rho: 1 - 2^-rho of all records leave their processor
  std::int64_t records = 0;   ///< sent in all loads, on average over the processors
  std::int64_t messages = 0;  ///< sent by the busiest processor, in all loads
  bool alike = true;          ///< all processors send equally many messages
};

/// Returns the traffic of a pass. A record crosses when the processor bits of its source and target
/// differ, so rho is the rank of the processor rows of A - I.
///
/// In a load a processor sends one message to each other processor that gets records of it.
/// Complements are included. Cost: that of a few ranks, independent of the data.
/// Errors: Error(internal) if the groups of the pass do not use all processors equally.
ProcessorTraffic processor_traffic(const PermutationPass& pass, const DiskModel& disks);

/// Returns the minimum of records that a processor sends on average, in any number of passes: those
/// with a target on another processor.
std::int64_t least_crossing(const Bmmc& permutation, const DiskModel& disks);

/// Returns the average records that a processor sends in all passes.
std::int64_t processor_traffic(const std::vector<PermutationPass>& passes, const DiskModel& disks);

}  // namespace weft::bmmc
