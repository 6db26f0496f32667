#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include <weft/plan.hpp>

#include "kernel/field_chain.hpp"
#include "plan/round_trip_steps.hpp"
#include "run/rank_route.hpp"

namespace weft::run {

/// A route to the turn and back. Its middle stage transforms there, and back by `transforms_back`.
struct RoundTripRoute {
  RankRoute route = {};
  std::size_t turn = 0;  ///< the number of the middle stage
  std::vector<kernel::AxisTransform> transforms_back = {};
};

/// Returns the route of the steps of round_trip_steps().
RoundTripRoute round_trip_route(const Plan& plan, ApplyIn turn, std::int64_t rank);

/// Returns the wavenumbers, positions and weights of all axes.
kernel::ChainTables chain_tables(const Problem& problem);

}  // namespace weft::run
