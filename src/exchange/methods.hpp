#pragma once

#include <memory>

#include "exchange/blocks.hpp"

namespace weft::exchange {

/// Returns places in the node memory of all ranks of the layouts.
BufferNeeds shared_needs(const ExchangeEndpoint& side);

/// Returns places in the node memory of this rank's node and in the receive buffer.
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
