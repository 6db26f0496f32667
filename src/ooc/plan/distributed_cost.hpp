#pragma once

#include <cstdint>

#include <weft/machine.hpp>

#include "ooc/plan/cost.hpp"
#include "ooc/plan/ownership.hpp"

namespace weft::ooc {

/// What the passes of a plan that was dealt to ranks should take (distribute_plan). Pure.
///
/// input, output : who has what of these arrays; in place the same. ranks_per_node : consecutive ranks
/// are on one node.
///
/// Model   In a round each rank gets its panel's pieces from the ranks of their disks, transforms it and
///         sends it off. Disks, lines and memory as cost_of() has them, with ranks of a node sharing
///         its cores. Pieces are copied into messages and out of them; messages of a round by their
///         average length, those of a node to others one after the other over its link, and a barrier
///         for each batch. While all this goes on disks read the next round and write the last one, but
///         for batches after the first one of a round, and journals, which ranks wait for. All rounds
///         are taken to be alike.
/// Errors  those of check() for machine and storage; invalid_argument for less than one rank a node.
/// Cost    that of the pieces of one round of each pass.
KPassPlanCost distributed_cost(const KPassPlan& plan, std::int64_t ranks_per_node,
                               const Machine& machine, const model::DiskAssignment& storage,
                               const OwnershipPtr& input, const OwnershipPtr& output);

}  // namespace weft::ooc
