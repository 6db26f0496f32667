#pragma once

#include <memory>

#include "comm/communicator.hpp"
#include "disk/striped_set.hpp"
#include "ooc/plan/ownership.hpp"
#include "ooc/run/run_on_files.hpp"

namespace weft::ooc {

using OpenSet = std::unique_ptr<disk::StripedSet>;

/// Opens an array that ranks share. Each rank opens the files of its own disks of a striped set, or
/// a plain file as a whole. Local. Errors as open_set and plain_set.
OpenSet open_own_disks(const StoredArray& array, const comm::Communicator& comm, disk::Mode mode,
                       const disk::SetOptions& options);

/// Returns when the writes of all ranks are on the disks, and the first rank has saved the
/// checksums. A block has a checksum if one rank wrote it as a whole. Collective.
void flush_shared(disk::StripedSet& output, const FileOwnership& ownership,
                  const comm::Communicator& comm);

}  // namespace weft::ooc
