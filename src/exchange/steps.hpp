#pragma once

#include <vector>

#include "exchange/blocks.hpp"

namespace weft::exchange {

/// Returns the messages of a rank in the order of a schedule, chunk after chunk. A block longer
/// than exchange.piece_bytes becomes several steps, unless piece_bytes is 0.
std::vector<comm::MessageStep> message_steps(const Exchange& exchange, const WireBlocks& blocks,
                                             const ExchangeEndpoint& side, int rank, int ranks);

/// Returns the options of messages, for example the number of messages in flight and the kind of
/// requests.
comm::MessageOptions message_options(const Exchange& exchange, const ExchangeResources& resources);

}  // namespace weft::exchange
