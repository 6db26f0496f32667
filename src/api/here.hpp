#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include <weft/machine.hpp>

#include "comm/communicator.hpp"

namespace weft::api {

/// The machine that the ranks are on, from this user's cache, or else measured in about 0.2 s and kept
/// there: in $XDG_CACHE_HOME/weft, else ~/.cache/weft, by processor, MPI library, what joins the nodes,
/// ranks, nodes and threads. Rank 0 reads and writes. A file that is damaged or of another version is
/// measured anew; where nothing can be kept, a warning says so. The same on all ranks. Collective.
///
/// Errors  invalid_argument for no threads; out_of_memory; mpi_failure.
Machine machine_here(const comm::Communicator& comm, int threads);

/// What was kept for so many ranks on one node. Local.
std::optional<Machine> known_here(std::int64_t ranks, int threads);

}  // namespace weft::api
