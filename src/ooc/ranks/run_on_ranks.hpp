#pragma once

#include <array>
#include <cstdint>
#include <functional>

#include "comm/communicator.hpp"
#include "disk/volume.hpp"
#include "ooc/plan/distribute_plan.hpp"
#include "ooc/run/pass_executor.hpp"

namespace weft::ooc {

/// An array on the disks of all ranks: the volume that this rank reaches, and the ownership.
struct ArrayOnRanks {
  disk::Volume* volume = nullptr;
  OwnershipPtr ownership;
};

struct VolumesOnRanks {
  ArrayOnRanks input;
  ArrayOnRanks output;
  /// This rank's own scratch; nullptr where scratch_bytes() is 0.
  std::array<disk::Volume*, scratch_volumes> scratch = {};
  /// Collective: returns when all ranks' writes to the output are on the disks. For checkpoints.
  /// Without it each rank flushes its volume.
  std::function<void()> flush_output = {};
};

struct RanksOutcome {
  std::int64_t held_bytes = 0;  ///< the most that this rank held
  RankTraffic sent;             ///< by this rank, in exchanges; agreements are not counted
};

/// Executes a distributed plan. While the panels of a round are transformed, those of the next one
/// are read and those of the last one written. A rank accesses only the bytes of its volumes that
/// the ownerships assign to it; the others are sent in messages.
///
/// Collective  `plan` and `options` are the same on all ranks, except on_panel, which each rank
///             calls after every round, and the notes of checkpoints.
/// Checkpoints between rounds and at the end of every pass but the last. One reduction of 8 bytes a
///             round agrees on them. They need no special plan, because passes that are not in
///             place never overwrite their input. `options.start` is where one was kept on the
///             same number of ranks.
/// In place    input and output are the same volume. Passes that overwrite their input first copy
///             the writes of a round to the rank's first scratch volume, and all ranks note that.
///             Without checkpoints there is no such copy, and an error leaves an unusable array.
/// Memory      At most memory_bytes(plan) on each rank, buffers for messages included. In addition
///             a few numbers for each rank, and the needs of engine, volumes and MPI.
/// Errors      as run_passes, the same on all ranks, and then no I/O is in progress on any;
///             disagreement. A failing message ends the program.
RanksOutcome run_on_ranks(const KPassPlan& plan, const comm::Communicator& comm,
                          const VolumesOnRanks& volumes, const PassOptions& options = {});

}  // namespace weft::ooc
