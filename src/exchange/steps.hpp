#pragma once

#include <vector>

#include "exchange/blocks.hpp"

namespace weft::exchange {

/// A rank's messages in the order of a schedule over so many ranks, chunk after chunk.
std::vector<comm::MessageStep> message_steps(Schedule schedule, const WireBlocks& blocks,
                                             int chunks, int rank, int ranks);

/// How many of them may be under way, and by which requests.
comm::MessageOptions message_options(const Exchange& exchange, const Means& means);

}  // namespace weft::exchange
