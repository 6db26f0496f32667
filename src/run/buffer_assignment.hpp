#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include <weft/plan.hpp>

#include "exchange/exchange.hpp"
#include "plan/end_stages.hpp"
#include "run/buffers.hpp"
#include "run/rank_route.hpp"

namespace weft::run {

/// An exchange between two stages as one rank sees it, with the buffers that it uses.
struct StageExchange {
  Exchange choices;
  exchange::ExchangeEndpoint side;
  bool both_sides = false;  ///< the later stage can transform chunks as they arrive
};

/// The buffers of one rank in all exchanges of a variant.
struct BufferAssignment {
  std::vector<StageExchange> exchanges;  ///< in the order of execution
  BufferSizes sizes{};
  bool peers_read_source_last = false;  ///< a call must not return before they have read it

  /// Returns true when an exchange needs buffers that other ranks see.
  bool is_shared() const;
};

/// Chooses the buffers of all exchanges of a route. Pure.
///
/// first_uses_work : the first stage uses the work buffer between its two sweeps.
BufferAssignment assign_buffers(const Problem& problem, const RankRoute& route, std::int64_t rank,
                                bool first_uses_work);

}  // namespace weft::run
