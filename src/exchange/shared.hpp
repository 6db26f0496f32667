#pragma once

#include "exchange/exchange.hpp"
#include "exchange/group.hpp"

namespace weft::exchange {

/// Places in the arrays of all ranks: the later stage reads them (pull), or the earlier one writes
/// them (push).
Ends shared_ends(const Side& side);

std::unique_ptr<Executor> make_shared(const Side& side, const Group& group, const Means& means);

}  // namespace weft::exchange
