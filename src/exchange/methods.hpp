#pragma once

#include <memory>

#include "exchange/blocks.hpp"

namespace weft::exchange {

/// Places in the node memory of all ranks of the layouts.
Ends shared_ends(const Side& side);

/// Places in the node memory of this rank's node, and in the receive buffer.
Ends node_aware_ends(const Exchange& exchange, const Side& side);
std::unique_ptr<Executor> make_node_aware(const Exchange& exchange, const Side& side,
                                          const Means& means);

std::unique_ptr<Executor> make_shared(const Exchange&, const Side&, const Group&, const Means&);
std::unique_ptr<Executor> make_collective_packed(const Exchange&, const Side&, const Group&,
                                                 const Means&);
std::unique_ptr<Executor> make_collective_datatype(const Exchange&, const Side&, const Group&,
                                                   const Means&);
std::unique_ptr<Executor> make_messages_packed(const Exchange&, const Side&, const Group&,
                                               const Means&);
std::unique_ptr<Executor> make_messages_datatype(const Exchange&, const Side&, const Group&,
                                                 const Means&);

}  // namespace weft::exchange
