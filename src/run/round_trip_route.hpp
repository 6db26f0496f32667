#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include <weft/plan.hpp>

#include "kernel/field_chain.hpp"
#include "plan/round_trip_steps.hpp"
#include "run/rank_route.hpp"

namespace weft::run {

/// The route of a round trip: outward to the turn, and back. The stage at the turn has the outward
/// transforms, and also `transforms_back`.
struct RoundTripRoute {
  RankRoute route = {};
  std::size_t turn = 0;  ///< the number of the stage at the turn
  std::vector<kernel::AxisTransform> transforms_back = {};
};

/// Returns the route of the steps of round_trip_steps().
RoundTripRoute round_trip_route(const Plan& plan, ApplyIn turn, std::int64_t rank);

/// Returns the wavenumbers, positions and weights of all axes.
kernel::ChainTables chain_tables(const Problem& problem);

}  // namespace weft::run
