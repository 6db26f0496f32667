#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include <weft/machine.hpp>

#include "comm/communicator.hpp"

namespace weft::api {

/// Returns the machine of the ranks from the user's cache, $XDG_CACHE_HOME/weft or ~/.cache/weft.
/// If the cache does not have this machine, measures it in about 0.2 s and stores it. The cache has
/// one file for each combination of weft version, processor, FFT libraries, MPI library with its
/// settings, network, and numbers of cores, ranks, nodes and threads. Only rank 0 reads and writes
/// the file. If this weft cannot read it as a machine, a new measurement replaces it. If the file
/// cannot be written, prints a warning. The result is the same on all ranks. Collective.
///
/// The times of lines are those of `engine`, or of the fastest engine for "auto". An empty `engine`
/// is treated as in engine_word().
///
/// Errors  invalid_argument for no threads; out_of_memory; mpi_failure; those of engine_word().
Machine local_machine(const comm::Communicator& comm, int threads, const std::string& engine = {});

/// Returns the machine in the cache for `ranks` ranks on one node and the engine of
/// kernel::wanted_engine(); nothing if there is none. Local.
std::optional<Machine> known_local_machine(std::int64_t ranks, int threads);

}  // namespace weft::api
