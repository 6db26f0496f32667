#pragma once

#include <cstdint>
#include <string>

namespace weft::comm {

/// Returns the description of the linked MPI library, on one line. Works before MPI_Init and after
/// MPI_Finalize.
std::string mpi_library_version();

/// Returns the versions of the MPI standard at compile time and at run time, such as "3.1".
std::string mpi_standard_version();

bool is_initialized();
bool is_finalized();
/// Returns whether MPI calls are allowed: MPI is initialised and not finalised.
bool is_running();

/// Returns true if MPI was initialised for concurrent calls of threads (MPI_THREAD_MULTIPLE).
bool threads_may_call_at_once();

/// Checks that this thread of this process may make the MPI calls of a group of ranks. Cheap.
/// Errors  Error(unsupported) in a process that was forked while MPI ran in its parent. Also in
///         another thread than the main one if MPI was initialised for the main thread only.
void require_may_call_mpi();

/// Returns the largest count or displacement of one MPI call. Larger counts use large-count calls
/// or several messages. The limit is INT_MAX, unless the environment variable WEFT_MAX_MPI_COUNT
/// (read once) or set_count_limit lowers it.
std::int64_t count_limit();

/// Lowers the limit for new exchanges, for tests; the same on every rank. A limit below INT_MAX
/// also disables large-count calls, so that splitting is tested with every MPI library. 0 restores
/// the default.
/// Errors  Error(invalid_argument) if negative or above INT_MAX.
void set_count_limit(std::int64_t elements);

}  // namespace weft::comm
