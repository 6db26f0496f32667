#pragma once

#include <vector>

#include "bmmc/plan/permutation_pass.hpp"

namespace weft::bmmc {

/// A pass exchanges offset bits for some of the index bits b..m-1. SwapOrder is the order in which
/// these index bits are chosen. The highest bits choose a place in memory. The lowest bits are the
/// disk, so records change the processor; paper 003 counts messages for this choice.
enum class SwapOrder { lowest_first, highest_first };

/// Returns factors of a permutation in the order of execution. Each takes one pass, with striped
/// I/O on at least one side.
///
/// An MRC, MLD or MLD^-1 permutation takes one pass. Others take ceil(rank phi / lg(M/B)) + 1
/// passes: MLD passes and then an MRC pass, or the passes of the inverse backwards. The inverse
/// needs the same number of passes, because its phi has the same rank. Of these two, each with both
/// orders of swaps, the function returns the one that sends the fewest records to other processors.
/// Each pass needs 2N/BD parallel I/Os and M records of memory.
///
/// Errors  those of check(disks) and check(permutation, disks).
/// Source  Cormen, Sundquist and Wisniewski, PCS-TR94-223: trailer, reducer, swappers, erasers.
std::vector<PermutationPass> factored(const Bmmc& permutation, const DiskModel& disks);

/// Returns the MLD passes and the MRC pass, without inverses and short cuts.
std::vector<PermutationPass> dispersal_factors(const Bmmc& permutation, const DiskModel& disks,
                                               SwapOrder order);

}  // namespace weft::bmmc
