#pragma once

#include <vector>

#include "bmmc/plan/permutation_pass.hpp"

namespace weft::bmmc {

/// Returns max(1, ceil(rank gamma / lg(M/B))): passes with independent I/O on both sides, the
/// minimum for any sequence of permutations. Errors: those of check(disks) and check(permutation,
/// disks).
int fewest_passes(const Bmmc& permutation, const DiskModel& disks);

/// Returns factors with independent I/O on both sides in `passes` passes; 0: the fewest.
///
/// The cost of each is 2N/BD parallel I/Os if memory allows. For this, rank gamma of the factor
/// plus the missing disk bits of its groups must be at most lg(M/B). That is always so where rank
/// gamma + lg D <= lg(M/B). Otherwise the cost is that of parallel_ios(). More passes than the
/// fewest leave more room for this.
///
/// Errors: those of fewest_passes(); Error(invalid_argument) for fewer passes than these.
std::vector<PermutationPass> grouped_factors(const Bmmc& permutation, const DiskModel& disks,
                                             int passes = 0);

/// Returns the factors with the fewest parallel I/Os among those of factored() and of
/// grouped_factors() in any number of passes. Among equal ones it returns those of the fewest
/// passes.
///
/// Errors: those of check(disks) and check(permutation, disks).
std::vector<PermutationPass> best_factors(const Bmmc& permutation, const DiskModel& disks);

}  // namespace weft::bmmc
