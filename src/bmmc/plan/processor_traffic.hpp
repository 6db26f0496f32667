#pragma once

#include <cstdint>
#include <vector>

#include "bmmc/plan/permutation_pass.hpp"

namespace weft::bmmc {

/// What a processor sends to others in a pass; each group of the pass is one load of memory.
struct ProcessorTraffic {
  int rank = 0;               ///< rho: 1 - 2^-rho of all records leave their processor
  std::int64_t records = 0;   ///< sent in all loads, on average over the processors
  std::int64_t messages = 0;  ///< sent by the busiest processor, in all loads
  bool alike = true;          ///< every processor sends as many messages
};

/// A record crosses when the processor bits of its source and target differ, so rho is the rank of
/// the processor rows of A - I.
///
/// A processor sends one message in a load to each other one that gets records of it. Complements
/// are taken into account. Cost: that of a few ranks; no data are looked at.
/// Errors: Error(internal) if the groups of the pass do not lie on all processors alike.
ProcessorTraffic processor_traffic(const PermutationPass& pass, const DiskModel& disks);

/// Records that a processor sends at least, on average, in however many passes: those whose processor
/// differs from that of their target.
std::int64_t least_crossing(const Bmmc& permutation, const DiskModel& disks);

/// Records that a processor sends in all passes, on average.
std::int64_t processor_traffic(const std::vector<PermutationPass>& passes, const DiskModel& disks);

}  // namespace weft::bmmc
