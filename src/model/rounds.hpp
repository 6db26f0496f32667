#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include <weft/machine.hpp>
#include <weft/plan.hpp>

#include "model/topology.hpp"

namespace weft::model {

/// If an exchange has more messages than this, a sample of its rounds represents all.
inline constexpr std::int64_t most_messages_in_rounds = std::int64_t{1} << 18;
/// Minimum number of sampled rounds.
inline constexpr std::int64_t least_rounds_looked_at = 4;

/// As busiest_link(), for messages that ranks send one after the other. The load of a round is that
/// of its busiest link. The returned load is the sum over all rounds. All groups are in the same
/// round at the same time. The returned name is that of the busiest link of the worst round.
///
/// Source  measured in SimGrid (docs/accuracy.md, "Simulated networks"). Ranks have no barrier
///         between rounds, but each waits for its partner. The partner in turn waits for the links
///         that it has just used. In some schedules (pairs in tori of 5 x 5), no two messages of a
///         round share a link. Ranks in different rounds then disturb each other, and the exchange
///         takes longer than the load says.
/// Needs   `schedule` is pairwise or cyclic. If groups share ranks, the load is 0. All ranks then
///         go through the rounds of one large group, and most of these rounds have no message.
/// Cost    messages x axes or levels of the network. At most most_messages_in_rounds messages
///         count, or those of least_rounds_looked_at rounds if these are more. For the sample, the
///         rounds are cut into equal stretches. One round of each stretch is taken, at varying
///         places.
BusiestLink busiest_by_rounds(const Topology&, Schedule schedule,
                              std::span<const std::vector<std::int64_t>> groups,
                              std::span<const std::int64_t> node_of);

}  // namespace weft::model
