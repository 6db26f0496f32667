#pragma once

#include <cstdint>
#include <string>

namespace weft::comm {

/// What the linked MPI says of itself, on one line. Works before MPI_Init and after MPI_Finalize.
std::string mpi_library_version();

/// Version of the standard that the library was compiled against and runs, as "3.1".
std::string mpi_standard_version();

/// True when the calls with 64-bit counts of MPI 4 are compiled in.
bool has_large_count_calls();

bool is_initialized();
bool is_finalized();
/// MPI calls are allowed: initialised and not yet finalised.
bool is_running();

/// True where MPI was initialised for threads that call it at once (MPI_THREAD_MULTIPLE).
bool threads_may_call_at_once();

/// Checks that this thread of this process may make the MPI calls of a group of ranks. Cheap.
/// Errors  Error(unsupported) in a process that was forked while MPI ran in its parent, and in a
///         thread but the main one where MPI was initialised for that alone.
void require_may_call_mpi();

/// The largest count or displacement that goes into one MPI call; beyond it large-count calls or
/// several messages are used. INT_MAX unless the environment variable WEFT_MAX_MPI_COUNT (read
/// once) or set_count_limit lowers it.
std::int64_t count_limit();

/// Lowers the limit for exchanges made from now on, for tests; the same on every rank. A limit
/// below INT_MAX also switches large-count calls off, so that splitting is exercised with every
/// MPI library. 0 restores the default.
/// Errors  Error(invalid_argument) when negative or above INT_MAX.
void set_count_limit(std::int64_t elements);

}  // namespace weft::comm
