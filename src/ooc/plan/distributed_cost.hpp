#pragma once

#include <cstdint>

#include <weft/machine.hpp>

#include "ooc/plan/cost.hpp"
#include "ooc/plan/ownership.hpp"

namespace weft::ooc {

/// Returns the predicted cost of the passes of a distributed plan (distribute_plan). Pure.
///
/// input, output : the ownership of these arrays; in place the same. ranks_per_node : consecutive
/// ranks are on one node.
///
/// Model   In a round each rank gets its panel's pieces from the ranks of their disks, transforms
///         the panel and sends it off. Disks, lines and memory as in cost_of(), with the ranks of a
///         node sharing its cores. Pieces are copied into messages and out of them. Messages of a
///         round count with their average length; those between nodes share the link of a node one
///         after the other. Each batch has a barrier. Meanwhile disks read the next round and write
///         the last one. Batches after the first of a round, and journals, are not overlapped. All
///         rounds are assumed to be alike.
/// Errors  those of check() for machine and storage; invalid_argument for less than one rank per
///         node.
/// Cost    that of the pieces of one round of each pass.
KPassPlanCost distributed_cost(const KPassPlan& plan, std::int64_t ranks_per_node,
                               const Machine& machine, const model::DiskAssignment& storage,
                               const OwnershipPtr& input, const OwnershipPtr& output);

}  // namespace weft::ooc
