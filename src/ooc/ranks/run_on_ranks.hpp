#pragma once

#include <array>
#include <cstdint>
#include <functional>

#include "comm/communicator.hpp"
#include "disk/volume.hpp"
#include "ooc/plan/distribute_plan.hpp"
#include "ooc/run/pass_executor.hpp"

namespace weft::ooc {

/// An array on the disks of all ranks: what this rank can reach of it, and who has what.
struct ArrayOnRanks {
  disk::Volume* volume = nullptr;
  OwnershipPtr ownership;
};

struct VolumesOnRanks {
  ArrayOnRanks input;
  ArrayOnRanks output;
  /// Of this rank alone; nullptr where scratch_bytes() is 0.
  std::array<disk::Volume*, scratch_volumes> scratch = {};
  /// Collective: returns when what all ranks have written of the output is on the disks. For
  /// checkpoints; without it each rank flushes its volume.
  std::function<void()> flush_output = {};
};

struct RanksOutcome {
  std::int64_t held_bytes = 0;  ///< the most that this rank held
  RankTraffic sent;             ///< by this rank, in exchanges; agreements are not counted
};

/// Executes a plan that was dealt to ranks: while a round's panels are transformed those of the next
/// one are read and those of the last one written. A rank touches those bytes of its volumes only
/// that the ownerships give it; the others travel.
///
/// Collective  `plan` and `options` are the same on all ranks, but for on_panel, which each has called
///             after every round, and what checkpoints keep.
/// Checkpoints between rounds and at the end of every pass but the last, with one reduction of 8 bytes
///             a round to agree on them. They need no other plan: every pass writes elsewhere than it
///             reads. `options.start` is where one was kept on as many ranks.
/// In place    input and output are the same volume. Where passes write where they read, what a round
///             writes on the disks of a rank lies in its first scratch volume before, and all keep that
///             it does; without checkpoints it does not, and an error leaves an array of no use.
/// Memory      At most memory_bytes(plan) on each rank, buffers for messages included; besides it a
///             few numbers for each rank, and what engine, volumes and MPI need for themselves.
/// Errors      as run_passes, the same on all ranks, and then nothing is under way on any;
///             disagreement. A failing message ends the program.
RanksOutcome run_on_ranks(const KPassPlan& plan, const comm::Communicator& comm,
                          const VolumesOnRanks& volumes, const PassesOptions& options = {});

}  // namespace weft::ooc
