#pragma once

#include <cstdint>
#include <optional>

#include "bmmc/plan/bmmc.hpp"
#include "disk/volume.hpp"

namespace weft::bmmc {

/// Result and cost of detect().
struct Detection {
  std::optional<Bmmc> permutation;   ///< absent: the targets are not a BMMC permutation
  std::int64_t parallel_reads = 0;   ///< number of all parallel reads
  std::int64_t candidate_reads = 0;  ///< parallel reads until a candidate was known
};

/// Detects whether a vector of targets is a BMMC permutation, and which one.
///
/// The targets of index 0 and of n independent indices determine the only candidate. If it is
/// nonsingular, all targets are compared with it, up to the first that differs.
///
/// Shapes  `targets`: N records of 8 bytes, each the target of the record at its index.
/// Memory  two stripes of targets. One is read while the other is compared.
/// Errors  those of check(disks) and of the volume.
/// Cost    at most N/BD + ceil((lg(N/B) + 1) / D) parallel reads. The blocks that determine the
///         candidate use all disks equally.
/// Source  for the count: Cormen, Sundquist and Wisniewski, PCS-TR94-223; the choice of blocks is
///         weft's.
Detection detect(disk::Volume& targets, const DiskModel& disks);

}  // namespace weft::bmmc
