#pragma once

#include "comm/communicator.hpp"
#include "comm/exchanges.hpp"

namespace weft::comm {

/// Undoes an execution of messages that not all ranks have begun, or not the same: receives are
/// cancelled, what arrives is dropped, what was sent is waited for. Nothing is left behind that a
/// later execution could take for its own.
///
/// `begun` is this rank's, on `comm` itself; null where it has begun none. Ranks may have begun
/// different ones, of different tags.
///
/// Memory      as much as the longest message that is dropped.
/// Collective  over `comm`.
/// Errors      Error(mpi_failure), std::bad_alloc: messages are left behind.
void take_back(const Communicator& comm, const Messages* begun);

}  // namespace weft::comm
