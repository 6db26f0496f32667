#pragma once

#include <vector>

#include "bmmc/plan/permutation_pass.hpp"

namespace weft::bmmc {

/// The choice of index bits b..m-1 that a pass exchanges for offset bits where it needs fewer than
/// all. The highest bits choose a place in memory. The lowest are the disk, so that records change
/// the processor; paper 003 counts messages for these.
enum class SwapOrder { lowest_first, highest_first };

/// Returns one-pass factors of a permutation, in the order of execution, with striped I/O on at
/// least one side of each.
///
/// One pass if the permutation is MRC, MLD or MLD^-1. Otherwise ceil(rank phi / lg(M/B)) + 1
/// passes: MLD passes and then an MRC pass, or those of the inverse backwards. Among these, and
/// both orders of swaps, the function takes the one that sends the fewest records to other
/// processors. The inverse never needs fewer passes: its phi has the same rank. Each pass needs
/// 2N/BD parallel I/Os and M records of memory.
///
/// Errors  those of check(disks) and check(permutation, disks).
/// Source  Cormen, Sundquist and Wisniewski, PCS-TR94-223: trailer, reducer, swappers, erasers.
std::vector<PermutationPass> factored(const Bmmc& permutation, const DiskModel& disks);

/// Returns the MLD passes and the MRC pass, without inverses and short cuts.
std::vector<PermutationPass> dispersal_factors(const Bmmc& permutation, const DiskModel& disks,
                                               SwapOrder order);

}  // namespace weft::bmmc
