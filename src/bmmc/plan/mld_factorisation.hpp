#pragma once

#include <vector>

#include "bmmc/plan/permutation_pass.hpp"

namespace weft::bmmc {

/// Which of the index bits b..m-1 a pass exchanges for offset bits where fewer than all are needed.
/// The highest choose a place in memory; the lowest name the disk, so that records change the
/// processor. Paper 003's counts of messages are those of the lowest.
enum class SwapOrder { lowest_first, highest_first };

/// One-pass factors of a permutation, in the order in which they are executed, with striped I/O on
/// at least one side of each.
///
/// One pass if the permutation is MRC, MLD or MLD^-1; else ceil(rank phi / lg(M/B)) + 1, MLD passes
/// and then an MRC pass, or those of the inverse backwards: of these, and of both orders of swaps,
/// that which sends the fewest records to other processors. The inverse never takes fewer passes: its
/// phi has the same rank. Each pass takes 2N/BD parallel I/Os and M records of memory.
///
/// Errors  those of check(disks) and check(permutation, disks).
/// Source  Cormen, Sundquist and Wisniewski, PCS-TR94-223: trailer, reducer, swappers, erasers.
std::vector<PermutationPass> factored(const Bmmc& permutation, const DiskModel& disks);

/// The MLD passes and the MRC pass, inverses and short cuts not looked at.
std::vector<PermutationPass> dispersal_factors(const Bmmc& permutation, const DiskModel& disks,
                                               SwapOrder order);

}  // namespace weft::bmmc
