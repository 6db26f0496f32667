#pragma once

#include <atomic>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <vector>

#include "base/turns.hpp"
#include "comm/mpi.hpp"
#include "comm/node_memory.hpp"

namespace weft::comm {

/// A window that MPI allocated. Freeing it is collective, so a rank that drops it only says so; it
/// is freed when all have said so and meet to make the next one, or with its communicator.
struct Window {
  MPI_Win win = MPI_WIN_NULL;
  bool dropped = false;
};

/// What stands behind a Communicator.
struct CommunicatorState {
  MPI_Comm comm = MPI_COMM_NULL;  ///< MPI_COMM_NULL: one rank without MPI, or freed by MPI_Finalize
  std::atomic<bool> is_duplicated = false;  ///< rank, size and comm are there; of a user's alone
  bool solo = true;
  int rank = 0;
  int size = 1;

  /// Groups within this one by the ranks (here) of their members. The key orders them alike on all
  /// ranks, so that freeing them in this order cannot deadlock.
  std::map<std::vector<int>, std::shared_ptr<CommunicatorState>> subsets;
  std::weak_ptr<CommunicatorState> node;  ///< one of `subsets`, this state itself or the solo state
  std::optional<NodeMemoryKind> node_memory_kind;
  std::vector<std::shared_ptr<Window>> windows;
  /// Given out by next_number(). Threads may ask the solo state at once.
  std::atomic<std::int64_t> numbers = 0;
  Turns turns;  ///< of calls that threads of this process make on a user's communicator
};

/// The communicator of a state. Throws Error(mpi_failure) when MPI_Finalize has freed it.
MPI_Comm usable(const CommunicatorState& state);

/// Frees windows, groups within, and the communicator itself. Collective.
void release(CommunicatorState& state);

/// Gives a state a communicator that was just made, which returns its errors from now on.
void take(CommunicatorState& state, MPI_Comm comm);

/// The state that all solo communicators share.
std::shared_ptr<CommunicatorState> solo_state();

/// The state that is cached on `user`, with its duplicate. Collective the first time, when one
/// thread makes the duplicate and others that ask meanwhile wait; local from then on.
std::shared_ptr<CommunicatorState> cached_state(MPI_Comm user);

/// Enters a group that was made (+1) or freed (-1) into communicator_counts().
void count_subset(int change);

}  // namespace weft::comm
