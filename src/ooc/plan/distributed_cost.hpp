#pragma once

#include <cstdint>

#include <weft/machine.hpp>

#include "ooc/plan/cost.hpp"
#include "ooc/plan/ownership.hpp"

namespace weft::ooc {

/// Returns the predicted cost of the passes of a distributed plan (distribute_plan). Pure.
///
/// `input` and `output` are the ownership of these arrays; in place both are the same.
/// `ranks_per_node` consecutive ranks are on one node.
///
/// Model   In a round each rank gets the pieces of its panel from the ranks that have them on disk.
///         It transforms the panel and sends the result to the disks. Disks, lines and memory are
///         as in cost_of(); ranks of a node share its cores. Pieces are copied into messages and
///         out of them. All messages of a round count as equally long. Messages between nodes use
///         the link of a node one after the other. Each batch (a part of a round that fits in the
///         buffers) has a barrier. Meanwhile disks read the next round and write the previous one.
///         Batches after the first of a round, and journals, do not overlap with other work. All
///         rounds count as equal.
/// Errors  those of check() for machine and storage; invalid_argument for less than one rank per
///         node.
/// Cost    that of the pieces of one round of each pass.
KPassPlanCost distributed_cost(const KPassPlan& plan, std::int64_t ranks_per_node,
                               const Machine& machine, const model::DiskAssignment& storage,
                               const OwnershipPtr& input, const OwnershipPtr& output);

}  // namespace weft::ooc
