#pragma once

#include <cstdint>

#include "comm/communicator.hpp"
#include "ooc/ranks/run_on_ranks.hpp"
#include "ooc/run/run_on_files.hpp"

namespace weft::ooc {

/// Totals over all ranks.
struct SharedOutcome {
  PassOutcome passes;  ///< the largest held_bytes of a rank; sums of the others
  RankTraffic sent;
};

/// Returns the ownership of an array in files, as run_on_shared_files uses it.
OwnershipPtr ownership_of(const StoredArray& array, int ranks);

/// run_on_files on ranks. Each rank opens the files of its own disks of a striped set; of a plain
/// file it uses its own part. All ranks must see the index of a set. Scratch directories are
/// assigned to ranks like disks; or each rank names its own sets (`own_scratch`), which are kept.
///
/// Checksums   exist for blocks that one rank read or wrote as a whole; the first rank saves them.
/// Collective  as run_on_ranks. Errors: those of run_on_files, the same on all ranks.
SharedOutcome run_on_shared_files(const KPassPlan& plan, const PassFiles& files,
                                  const comm::Communicator& comm, const PassOptions& options = {});

}  // namespace weft::ooc
