#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include <weft/machine.hpp>
#include <weft/plan.hpp>

#include "model/topology.hpp"

namespace weft::model {

/// More messages than this are not looked at one by one: a sample of the rounds stands for all.
inline constexpr std::int64_t most_messages_in_rounds = std::int64_t{1} << 18;
/// But so many rounds at least.
inline constexpr std::int64_t least_rounds_looked_at = 4;

/// As busiest_link(), of messages that ranks send one after the other: round by round the load of
/// the link that is busiest in that round, all rounds added up. The groups go through their rounds
/// in step. The name is that of the busiest link of the worst round.
///
/// Source  measured in SimGrid (docs/accuracy.md, "Simulated networks"): ranks have no barrier between
///         rounds, yet each waits for its partner, which waits for the links it has just used. Rounds
///         that share no link only while all ranks keep step (pairs in tori of 5 x 5) take longer.
/// Needs   `schedule` is pairwise or cyclic. Nothing, a load of 0, where groups share ranks: all ranks
///         then go through the rounds of one large group, and have no message in most of them.
/// Cost    messages x the links' axes or levels, of at most most_messages_in_rounds messages (of
///         least_rounds_looked_at rounds where these are more): one round of each stretch of as many
///         rounds, at places that differ from stretch to stretch.
BusiestLink busiest_by_rounds(const Topology&, Schedule schedule,
                              std::span<const std::vector<std::int64_t>> groups,
                              std::span<const std::int64_t> node_of);

}  // namespace weft::model
