#pragma once

#include <memory>

#include "exchange/blocks.hpp"

namespace weft::exchange {

/// For a shared exchange: places in node memory. They are parts of this rank's arrays or of the
/// arrays of all ranks.
BufferNeeds shared_needs(const ExchangeEndpoint& side);

/// For a node-aware exchange: places in node memory and in the buffers of this node's ranks for
/// messages.
BufferNeeds node_aware_needs(const Exchange& exchange, const ExchangeEndpoint& side);
std::unique_ptr<Executor> make_node_aware(const Exchange& exchange, const ExchangeEndpoint& side,
                                          const ExchangeResources& resources);

std::unique_ptr<Executor> make_shared(const Exchange&, const ExchangeEndpoint&, const Group&,
                                      const ExchangeResources&);
std::unique_ptr<Executor> make_rma(const Exchange&, const ExchangeEndpoint&, const Group&,
                                   const ExchangeResources&);
std::unique_ptr<Executor> make_collective_packed(const Exchange&, const ExchangeEndpoint&,
                                                 const Group&, const ExchangeResources&);
std::unique_ptr<Executor> make_collective_datatype(const Exchange&, const ExchangeEndpoint&,
                                                   const Group&, const ExchangeResources&);
std::unique_ptr<Executor> make_messages_packed(const Exchange&, const ExchangeEndpoint&,
                                               const Group&, const ExchangeResources&);
std::unique_ptr<Executor> make_messages_datatype(const Exchange&, const ExchangeEndpoint&,
                                                 const Group&, const ExchangeResources&);

}  // namespace weft::exchange
