#pragma once

#include <cstdint>
#include <vector>

#include "bmmc/plan/bmmc.hpp"
#include "bmmc/plan/subspace.hpp"

namespace weft::bmmc {

enum class PassKind {
  mrc,          ///< striped reads, striped writes
  mld,          ///< striped reads, independent writes
  mld_inverse,  ///< independent reads, striped writes
  grouped       ///< independent reads, independent writes
};
const char* word_of(PassKind kind);

/// One pass over the disks that permutes the records.
///
/// The group is a subspace of indices. For each x, the records of x + group are in memory together.
/// These records are at most M, and fill whole blocks of the source and of the target.
struct PermutationPass {
  PassKind kind = PassKind::mrc;
  Bmmc permutation;
  Subspace group;
};

/// Returns the pass of a permutation of this kind. For `grouped` the group is first the smallest
/// one with whole blocks on both sides. It is then enlarged, as far as memory allows, until its
/// blocks use all disks equally on both sides. That takes max(d - s, d - t) dimensions. Here s and
/// t are the ranks of the disk bits on the group, for the source and the target.
///
/// Errors: Error(internal) if the permutation is not of this kind.
PermutationPass make_pass(PassKind kind, const Bmmc& permutation, const DiskModel& disks);

/// The kinds of the passes of a sequence. A single pass has the last kind.
struct PassKinds {
  PassKind first, middle, last;
};

/// Returns the passes of these matrices in the order of execution. The last pass also complements.
/// Errors: Error(internal) if a factor is not of its kind or the product is not the permutation.
std::vector<PermutationPass> make_passes(const std::vector<BitMatrix>& matrices,
                                         const PassKinds& kinds, const Bmmc& permutation,
                                         const DiskModel& disks);

/// The blocks of a group on one side of a pass, source or target.
struct GroupSide {
  Subspace span;       ///< all differences of indices of the group
  int lg_at_once = 0;  ///< lg of the number of disks with its blocks: the blocks of one parallel
                       ///< I/O
  int lg_rounds = 0;   ///< lg of the parallel I/Os of a group
};
GroupSide source_side(const PermutationPass& pass, const DiskModel& disks);
GroupSide target_side(const PermutationPass& pass, const DiskModel& disks);

/// Returns the exact number of parallel I/Os of a pass. It is 2N/BD if the blocks of its groups use
/// all disks equally.
std::int64_t parallel_ios(const PermutationPass& pass, const DiskModel& disks);
std::int64_t parallel_ios(const std::vector<PermutationPass>& passes, const DiskModel& disks);

/// Returns all passes in order as one permutation of 2^n records.
Bmmc composed(const std::vector<PermutationPass>& passes, int n);

}  // namespace weft::bmmc
