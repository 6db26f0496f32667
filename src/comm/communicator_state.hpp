#pragma once

#include <atomic>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <vector>

#include "base/turns.hpp"
#include "comm/communicator.hpp"
#include "comm/mpi.hpp"
#include "comm/node_memory.hpp"

namespace weft::comm {

/// A window that MPI allocated. Freeing a window is collective, so a rank that drops the window
/// only marks it. The window is freed when all ranks have marked it and together make another
/// window. Otherwise it is freed with its communicator.
struct Window {
  MPI_Win win = MPI_WIN_NULL;
  bool dropped = false;
  bool is_locked = false;  ///< locked by MPI_Win_lock_all, until it is freed
};

/// Frees a window. If it is locked, unlocks it first. Returns MPI's error. Collective.
int free_window(Window& window);

/// Frees the windows of a group that all its ranks have dropped, in the order of creation.
/// Collective.
void free_dropped_windows(const Communicator& comm);

/// The shared state of a Communicator.
struct CommunicatorState {
  MPI_Comm comm = MPI_COMM_NULL;  ///< MPI_COMM_NULL: one rank without MPI, or freed by MPI_Finalize
  std::atomic<bool> is_duplicated = false;  ///< rank, size and comm are set; only used for a
                                            ///< user's communicator
  bool solo = true;
  int rank = 0;
  int size = 1;

  /// Groups within this group. The key is the list of their members' ranks. So the order is the
  /// same on all ranks, and freeing in this order cannot deadlock.
  std::map<std::vector<int>, std::shared_ptr<CommunicatorState>> subsets;
  std::weak_ptr<CommunicatorState> node;  ///< the group of this rank's node: one of `subsets`, this
                                          ///< state or the solo state
  std::optional<NodeMemoryKind> node_memory_kind;
  std::vector<std::shared_ptr<Window>> windows;
  /// Counter of next_number(). Threads may use the counter of the solo state concurrently.
  std::atomic<std::int64_t> numbers = 0;
  Turns turns;  ///< serialise the calls of this process's threads on a user's communicator
};

/// Returns the communicator of a state. Throws Error(mpi_failure) if MPI_Finalize has freed it.
MPI_Comm usable(const CommunicatorState& state);

/// Frees the windows, the inner groups, and the communicator itself. Collective.
void release(CommunicatorState& state);

/// Gives a new communicator to a state, and makes the communicator return its errors.
void take(CommunicatorState& state, MPI_Comm comm);

/// Returns the state that all solo communicators share.
std::shared_ptr<CommunicatorState> solo_state();

/// Returns the state that is cached on `user`, with its duplicate. Collective the first time: one
/// thread makes the duplicate while others wait. Then local.
std::shared_ptr<CommunicatorState> cached_state(MPI_Comm user);

/// Counts a group that was made (+1) or freed (-1) in communicator_counts().
void count_subset(int change);

}  // namespace weft::comm
