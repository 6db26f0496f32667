#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include <weft/plan.hpp>

#include "exchange/exchange.hpp"
#include "plan/end_stages.hpp"
#include "run/buffers.hpp"
#include "run/local_stage.hpp"
#include "run/rank_route.hpp"

namespace weft::run {

/// An exchange between two stages as one rank sees it, with the buffers that it uses.
struct StageExchange {
  Exchange choices;
  exchange::ExchangeEndpoint side;
  bool both_sides = false;  ///< the later stage can transform chunks as they arrive
};

/// The parts in which a stage is executed: one for each chunk of an adjacent exchange.
struct StageParts {
  int count = 1;
  int axis = -1;
  bool sends = false;  ///< true: chunks of the exchange after the stage; false: chunks of the
                       ///< exchange before the stage
};

/// The buffers of one rank in all stages and exchanges of a route.
struct BufferAssignment {
  std::vector<StageSpec> stages;         ///< stages with the buffers that each reads and writes
  std::vector<StageExchange> exchanges;  ///< in the order of execution
  BufferSizes sizes{};
  bool peers_read_source_last = false;  ///< a call must not return before other ranks have read
                                        ///< this rank's source

  /// Returns whether an exchange needs buffers that other ranks can access.
  bool is_shared() const;
  /// Returns whether an exchange puts blocks into buffers of other ranks.
  bool is_exposed() const;
  StageParts parts_of(std::size_t stage) const;
};

/// Chooses the buffers of all stages and exchanges of a route. Allocates no buffer, and makes no
/// MPI call.
///
/// first_uses_work : the first stage uses the work buffer between its two sweeps.
BufferAssignment assign_buffers(const Problem& problem, const RankRoute& route, std::int64_t rank,
                                bool first_uses_work);
/// As above, for one variant of a plan that does not convolve.
BufferAssignment assign_buffers(const Plan& plan, Variant variant, std::int64_t rank);

}  // namespace weft::run
