#pragma once

#include <cstdint>

namespace weft {

/// Returns the number of rounds in which each two of `ranks` ranks meet once. It is ranks - 1 for
/// an even number of ranks, ranks for an odd number, and 0 for one rank. With an odd number one
/// rank is idle in each round.
std::int64_t pairwise_rounds(std::int64_t ranks);

/// Returns the rank that `rank` meets in `round`; `rank` itself if it is idle.
///
/// In each round a rank has at most one partner. So no rank waits for a partner that is busy with
/// another rank.
/// Errors  Error(invalid_argument) unless 0 <= rank < ranks, 0 <= round < pairwise_rounds(ranks).
/// Source  the circle method: 1-factorisation of the complete graph.
std::int64_t pairwise_partner(std::int64_t round, std::int64_t rank, std::int64_t ranks);

}  // namespace weft
