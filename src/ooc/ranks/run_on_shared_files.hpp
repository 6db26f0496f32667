#pragma once

#include <cstdint>

#include "comm/communicator.hpp"
#include "ooc/ranks/run_on_ranks.hpp"
#include "ooc/run/run_on_files.hpp"

namespace weft::ooc {

/// What all ranks did together.
struct SharedOutcome {
  PassesOutcome passes;  ///< held_bytes of the rank that held most; of all ranks the other numbers
  RankTraffic sent;
};

/// Who has what of an array in files, as the ranks of run_on_shared_files take it.
OwnershipPtr ownership_of(const StoredArray& array, int ranks);

/// run_on_files on ranks. Of a striped set each rank opens the files of its own disks, of a plain
/// file it uses its own part; the index of a set must be seen by all ranks. Scratch directories are
/// dealt to ranks as disks are; or each rank names its own sets (`own_scratch`), which stay.
///
/// Checksums   of blocks that one rank read or wrote as a whole, saved by the first rank.
/// Collective  as run_on_ranks. Errors: those of run_on_files, the same on all ranks.
SharedOutcome run_on_shared_files(const KPassPlan& plan, const PassesFiles& files,
                                  const comm::Communicator& comm,
                                  const PassesOptions& options = {});

}  // namespace weft::ooc
