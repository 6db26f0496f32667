#pragma once

#include <cstdint>
#include <optional>

#include "bmmc/plan/bmmc.hpp"
#include "disk/volume.hpp"

namespace weft::bmmc {

/// What detect() found, and what it took.
struct Detection {
  std::optional<Bmmc> permutation;   ///< none: the targets are not those of a BMMC permutation
  std::int64_t parallel_reads = 0;   ///< in all
  std::int64_t candidate_reads = 0;  ///< of these, until a candidate was known
};

/// Finds out whether a vector of targets is that of a BMMC permutation, and of which.
///
/// The targets of 0 and of n independent indices give the only candidate; if it is nonsingular, all
/// targets are compared with it, up to the first that differs.
///
/// Shapes  `targets`: N records of 8 bytes, each the target of the record at its index.
/// Memory  two stripes of targets: the next one is read while one is compared.
/// Errors  those of check(disks) and of the volume.
/// Cost    at most N/BD + ceil((lg(N/B) + 1) / D) parallel reads: the blocks that give the candidate
///         are chosen so that they lie on all disks alike.
/// Source  the count: Cormen, Sundquist and Wisniewski, PCS-TR94-223; the choice of blocks: here.
Detection detect(disk::Volume& targets, const DiskModel& disks);

}  // namespace weft::bmmc
