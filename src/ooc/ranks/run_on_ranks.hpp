#pragma once

#include <array>
#include <cstdint>
#include <functional>

#include "comm/communicator.hpp"
#include "disk/volume.hpp"
#include "ooc/plan/distribute_plan.hpp"
#include "ooc/run/pass_executor.hpp"

namespace weft::ooc {

/// An array on the disks of all ranks: the volume with this rank's part, and the ownership of all
/// parts.
struct ArrayOnRanks {
  disk::Volume* volume = nullptr;
  OwnershipPtr ownership;
};

struct VolumesOnRanks {
  ArrayOnRanks input;
  ArrayOnRanks output;
  /// This rank's own scratch volumes; nullptr if scratch_bytes() is 0.
  std::array<disk::Volume*, scratch_volumes> scratch = {};
  /// Returns when the writes of all ranks to the output are on the disks. Checkpoints need it.
  /// Without it each rank flushes its volume. Collective.
  std::function<void()> flush_output = {};
};

struct RanksOutcome {
  std::int64_t held_bytes = 0;  ///< largest number of bytes that this rank held
  RankTraffic sent;             ///< sent by this rank in exchanges, without agreements
};

/// Executes a distributed plan. While the panels of a round are transformed, the next round is read
/// and the previous one is written. A rank accesses only the bytes of its volumes that the
/// ownerships assign to it. Other bytes are sent in messages.
///
/// Collective  `plan` and `options` are the same on all ranks, except on_panel, which each rank
///             calls after every round, and the functions of checkpoints.
/// Checkpoints are between rounds, and at the end of every pass but the last. Ranks agree on them
///             by one reduction of 8 bytes in each round. They need no special plan, because passes
///             that are not in place never overwrite their input. `options.start` is the progress
///             of a checkpoint that was kept on the same number of ranks.
/// In place    input and output are the same volume. Passes that overwrite their input first copy
///             the writes of a round to a journal in the rank's first scratch volume. Then all
///             ranks keep a checkpoint. Without checkpoints there is no journal, and an error
///             leaves an unusable array.
/// Memory      At most memory_bytes(plan) on each rank, buffers for messages included. In addition
///             a few numbers for each rank, and the needs of engine, volumes and MPI.
/// Errors      as run_passes, the same on all ranks; disagreement. After an error no I/O is in
///             progress on any rank. A failing message ends the program.
RanksOutcome run_on_ranks(const KPassPlan& plan, const comm::Communicator& comm,
                          const VolumesOnRanks& volumes, const PassOptions& options = {});

}  // namespace weft::ooc
