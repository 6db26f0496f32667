#pragma once

#include <memory>

#include "comm/communicator.hpp"
#include "disk/striped_set.hpp"
#include "ooc/plan/ownership.hpp"
#include "ooc/run/run_on_files.hpp"

namespace weft::ooc {

using OpenSet = std::unique_ptr<disk::StripedSet>;

/// An array that ranks share: each rank opens the files of its own disks of a striped set, or all
/// of a plain file. Local. Errors  as open_set and plain_set.
OpenSet open_own_disks(const StoredArray& array, const comm::Communicator& comm, disk::Mode mode,
                       const disk::SetOptions& options);

/// Returns when all ranks' writes are on the disks. The first rank has then saved the checksums of
/// blocks that one rank wrote as a whole. Collective.
void flush_shared(disk::StripedSet& output, const FileOwnership& ownership,
                  const comm::Communicator& comm);

}  // namespace weft::ooc
