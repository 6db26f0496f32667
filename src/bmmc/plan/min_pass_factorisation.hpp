#pragma once

#include <vector>

#include "bmmc/plan/permutation_pass.hpp"

namespace weft::bmmc {

/// max(1, ceil(rank gamma / lg(M/B))): passes with independent I/O on both sides, which no sequence
/// of permutations can undercut. Errors: those of check(disks) and check(permutation, disks).
int fewest_passes(const Bmmc& permutation, const DiskModel& disks);

/// Factors with independent I/O on both sides, in so many passes; 0: the fewest.
///
/// Each takes 2N/BD parallel I/Os where rank gamma of the factor and the disk bits that its groups
/// lack are together at most lg(M/B), so always where rank gamma + lg D <= lg(M/B); else what
/// parallel_ios() says. With more passes than the fewest there is more room for that.
///
/// Errors: those of fewest_passes(); Error(invalid_argument) for fewer passes than these.
std::vector<PermutationPass> grouped_factors(const Bmmc& permutation, const DiskModel& disks,
                                             int passes = 0);

/// Of factored() and grouped_factors(), in any number of passes, those with the fewest parallel I/Os;
/// of these the fewest passes.
///
/// Errors: those of check(disks) and check(permutation, disks).
std::vector<PermutationPass> best_factors(const Bmmc& permutation, const DiskModel& disks);

}  // namespace weft::bmmc
