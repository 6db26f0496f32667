#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include <weft/machine.hpp>
#include <weft/plan.hpp>

#include "model/topology.hpp"

namespace weft::model {

/// Above this number of messages a sample of the rounds represents all.
inline constexpr std::int64_t most_messages_in_rounds = std::int64_t{1} << 18;
/// Minimum number of sampled rounds.
inline constexpr std::int64_t least_rounds_looked_at = 4;

/// As busiest_link(), for messages that ranks send one after the other. The load is the sum over
/// all rounds of the load of the busiest link in that round. The groups go through their rounds in
/// step. The name is that of the busiest link of the worst round.
///
/// Source  measured in SimGrid (docs/accuracy.md, "Simulated networks"). Ranks have no barrier
///         between rounds. Yet each waits for its partner, which waits for the links it has just
///         used. In some schedules, messages share no link only if all ranks are in the same round
///         (pairs in tori of 5 x 5). These take longer than the load says.
/// Needs   `schedule` is pairwise or cyclic. If groups share ranks, the load is 0. All ranks then
///         go through the rounds of one large group, and most of these rounds have no message.
/// Cost    messages x the links' axes or levels, for at most most_messages_in_rounds messages (or
///         least_rounds_looked_at rounds if these have more). For the sample, the rounds are cut
///         into equal stretches, and one round of each is taken. Its place differs from stretch to
///         stretch.
BusiestLink busiest_by_rounds(const Topology&, Schedule schedule,
                              std::span<const std::vector<std::int64_t>> groups,
                              std::span<const std::int64_t> node_of);

}  // namespace weft::model
