#pragma once

#include <vector>

#include "exchange/blocks.hpp"

namespace weft::exchange {

/// A rank's messages in the order of a schedule over so many ranks, chunk after chunk. Blocks that
/// are longer than a piece of the exchange are so many steps.
std::vector<comm::MessageStep> message_steps(const Exchange& exchange, const WireBlocks& blocks,
                                             const ExchangeEndpoint& side, int rank, int ranks);

/// How many of them may be under way, and by which requests.
comm::MessageOptions message_options(const Exchange& exchange, const ExchangeResources& means);

}  // namespace weft::exchange
