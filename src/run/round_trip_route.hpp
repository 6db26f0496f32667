#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include <weft/plan.hpp>

#include "kernel/field_chain.hpp"
#include "run/rank_route.hpp"

namespace weft::run {

/// The space in which a round trip turns.
enum class ApplyIn { spectrum, space };

/// A route to the turn and back. Its middle stage transforms there, and back by `transforms_back`.
struct RoundTripRoute {
  RankRoute route = {};
  std::size_t turn = 0;  ///< the number of the middle stage
  std::vector<kernel::AxisTransform> transforms_back = {};
};

/// Returns the reason why a plan has no round trips; empty if it has.
std::string no_round_trip(const Plan& plan);

/// Returns the route of a round trip. No exchange is at the turn: stages without axes before it are
/// left out, since a function at the turn needs no particular layout.
RoundTripRoute round_trip_route(const Plan& plan, ApplyIn turn, std::int64_t rank);

/// Returns the wavenumbers, positions and weights of all axes.
kernel::ChainTables chain_tables(const Problem& problem);

}  // namespace weft::run
