#pragma once

#include <vector>

#include "bmmc/plan/permutation_pass.hpp"

namespace weft::bmmc {

/// Returns max(1, ceil(rank gamma / lg(M/B))). No sequence of passes is shorter. With independent
/// I/O on both sides, this number of passes is enough. Errors: those of check(disks) and
/// check(permutation, disks).
int fewest_passes(const Bmmc& permutation, const DiskModel& disks);

/// Returns factors with independent I/O on both sides in `passes` passes. 0 means the smallest
/// possible number.
///
/// Each pass costs 2N/BD parallel I/Os if memory allows. For this, rank gamma of the factor plus
/// the missing disk bits of its groups must be at most lg(M/B). This is always true if rank gamma +
/// lg D <= lg(M/B). Otherwise parallel_ios() gives the cost. With more passes than the fewest, each
/// pass has more room for disk bits.
///
/// Errors: those of fewest_passes(); Error(invalid_argument) for fewer than fewest_passes() passes.
std::vector<PermutationPass> grouped_factors(const Bmmc& permutation, const DiskModel& disks,
                                             int passes = 0);

/// Compares factored() with grouped_factors() in any number of passes. Returns the factors with the
/// fewest parallel I/Os, and among these the ones with the fewest passes.
///
/// Errors: those of check(disks) and check(permutation, disks).
std::vector<PermutationPass> best_factors(const Bmmc& permutation, const DiskModel& disks);

}  // namespace weft::bmmc
