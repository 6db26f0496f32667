#pragma once

#include <cstdint>

#include "comm/communicator.hpp"
#include "ooc/ranks/run_on_ranks.hpp"
#include "ooc/run/run_on_files.hpp"

namespace weft::ooc {

/// Totals over all ranks.
struct SharedOutcome {
  PassOutcome passes;  ///< held_bytes is the largest of all ranks; the other counts are sums
  RankTraffic sent;
};

/// Returns the ownership of an array in files, as run_on_shared_files uses it.
OwnershipPtr ownership_of(const StoredArray& array, int ranks);

/// Executes a plan on ranks, as run_on_files() does in one process. Each rank opens the files of
/// its own disks of a striped set, or uses its own part of a plain file. All ranks must see the
/// index of a set. Scratch directories are assigned to ranks in the same way as disks.
/// Alternatively each rank names its own scratch sets in `own_scratch`. These sets are kept.
///
/// Checksums   Blocks that one rank reads as a whole are compared with their checksums. Blocks that
///             one rank writes as a whole get checksums. The first rank saves these.
/// Collective  as run_on_ranks. Errors: those of run_on_files, the same on all ranks.
SharedOutcome run_on_shared_files(const KPassPlan& plan, const PassFiles& files,
                                  const comm::Communicator& comm, const PassOptions& options = {});

}  // namespace weft::ooc
