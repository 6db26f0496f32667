#pragma once

#include <cstdint>
#include <optional>

#include "bmmc/plan/bmmc.hpp"
#include "disk/volume.hpp"

namespace weft::bmmc {

/// Result and cost of detect().
struct Detection {
  std::optional<Bmmc> permutation;   ///< none: the targets are not those of a BMMC permutation
  std::int64_t parallel_reads = 0;   ///< in all
  std::int64_t candidate_reads = 0;  ///< included in these: reads until a candidate was known
};

/// Detects whether a vector of targets is a BMMC permutation, and which one.
///
/// The targets of 0 and of n independent indices give the only candidate. If it is nonsingular, all
/// targets are compared with it, up to the first that differs.
///
/// Shapes  `targets`: N records of 8 bytes, each the target of the record at its index.
/// Memory  two stripes of targets: the next one is read while one is compared.
/// Errors  those of check(disks) and of the volume.
/// Cost    at most N/BD + ceil((lg(N/B) + 1) / D) parallel reads: the blocks that give the
///         candidate are chosen to use all disks equally.
/// Source  for the count: Cormen, Sundquist and Wisniewski, PCS-TR94-223; the choice of blocks is
///         weft's.
Detection detect(disk::Volume& targets, const DiskModel& disks);

}  // namespace weft::bmmc
