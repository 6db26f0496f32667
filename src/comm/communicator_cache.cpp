// The store of duplicates. A list owns the duplicates. An attribute on the user's communicator
// points to its duplicate. Callbacks of MPI free a duplicate when the user's communicator is freed
// or when MPI_Finalize begins.

#include <algorithm>
#include <atomic>
#include <mutex>

#include "base/process_mutex.hpp"
#include "comm/communicator.hpp"
#include "comm/communicator_state.hpp"
#include "comm/environment.hpp"
#include "comm/mpi_check.hpp"

#include <weft/error.hpp>

namespace weft::comm {
namespace {

std::atomic<int> duplicates{0};
std::atomic<int> subsets{0};

/// Duplicates in the order of creation. Freeing them is collective. Creation in this order did not
/// deadlock, so freeing in this order does not either.
struct Registry {
  ProcessMutex mutex;
  std::vector<std::shared_ptr<CommunicatorState>> states;
  int cache_key = MPI_KEYVAL_INVALID;     ///< key of the state that is stored on the user's
                                          ///< communicator
  int finalize_key = MPI_KEYVAL_INVALID;  ///< key on MPI_COMM_SELF, whose attributes MPI_Finalize
                                          ///< deletes first
};

/// Returns the registry. It is never destroyed, because handles may be dropped and callbacks may
/// run after static destructors.
Registry& registry() {
  static auto* const instance = new Registry;
  return *instance;
}

bool in_use(const std::shared_ptr<CommunicatorState>& state) {
  if (state.use_count() > 1) return true;
  return std::any_of(state->subsets.begin(), state->subsets.end(),
                     [](const auto& entry) { return in_use(entry.second); });
}

void release_duplicate(CommunicatorState& state) {
  if (state.comm != MPI_COMM_NULL) duplicates.fetch_sub(1);
  release(state);
}

/// Runs when the user's communicator is freed. If handles are in use, the duplicate is kept until
/// MPI_Finalize. Otherwise the last handle would have to free it, and its destruction would be
/// collective.
int on_user_free(MPI_Comm, int, void* value, void*) {
  Registry& all = registry();
  std::shared_ptr<CommunicatorState> unused;
  {
    const std::lock_guard lock(all.mutex);
    const auto found = std::find_if(all.states.begin(), all.states.end(),
                                    [&](const auto& state) { return state.get() == value; });
    if (found == all.states.end() || in_use(*found)) return MPI_SUCCESS;
    unused = std::move(*found);
    all.states.erase(found);
  }
  release_duplicate(*unused);
  return MPI_SUCCESS;
}

int on_finalize(MPI_Comm, int, void*, void*) {
  Registry& all = registry();
  std::vector<std::shared_ptr<CommunicatorState>> states;
  {
    const std::lock_guard lock(all.mutex);
    states.swap(all.states);
  }
  for (const auto& state : states) release_duplicate(*state);
  return MPI_SUCCESS;
}

/// Makes the attribute keys once. The caller holds the lock of the registry.
void prepare_keys(Registry& all) {
  if (all.cache_key != MPI_KEYVAL_INVALID) return;
  check_mpi(MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, on_finalize, &all.finalize_key, nullptr),
            "MPI_Comm_create_keyval");
  check_mpi(MPI_Comm_set_attr(MPI_COMM_SELF, all.finalize_key, nullptr), "MPI_Comm_set_attr");
  check_mpi(MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, on_user_free, &all.cache_key, nullptr),
            "MPI_Comm_create_keyval");
}

/// Returns the state that is cached on `user`. Creates it if there is none. Local.
std::shared_ptr<CommunicatorState> known_or_new(MPI_Comm user) {
  Registry& all = registry();
  const std::lock_guard lock(all.mutex);
  prepare_keys(all);
  void* value = nullptr;
  int found = 0;
  check_mpi(MPI_Comm_get_attr(user, all.cache_key, &value, &found), "MPI_Comm_get_attr");
  for (const auto& state : all.states) {
    if (found != 0 && state.get() == value) return state;
  }
  all.states.push_back(std::make_shared<CommunicatorState>());
  const auto& state = all.states.back();
  state->solo = false;
  check_mpi(MPI_Comm_set_attr(user, all.cache_key, state.get()), "MPI_Comm_set_attr");
  return state;
}

}  // namespace

void release(CommunicatorState& state) {
  // Runs inside callbacks of MPI, which must not throw and cannot handle an error.
  for (const auto& window : state.windows)
    if (window->win != MPI_WIN_NULL) free_window(*window);
  state.windows.clear();
  for (auto& [ranks, subset] : state.subsets) {
    release(*subset);
    count_subset(-1);
  }
  state.subsets.clear();
  if (state.comm != MPI_COMM_NULL) MPI_Comm_free(&state.comm);
}

void take(CommunicatorState& state, MPI_Comm comm) {
  state.comm = comm;
  state.solo = false;
  check_mpi(MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN), "MPI_Comm_set_errhandler");
  check_mpi(MPI_Comm_rank(comm, &state.rank), "MPI_Comm_rank");
  check_mpi(MPI_Comm_size(comm, &state.size), "MPI_Comm_size");
}

std::shared_ptr<CommunicatorState> solo_state() {
  static auto* const state =
      new std::shared_ptr<CommunicatorState>(std::make_shared<CommunicatorState>());
  return *state;
}

std::shared_ptr<CommunicatorState> cached_state(MPI_Comm user) {
  std::shared_ptr<CommunicatorState> state = known_or_new(user);
  if (state->is_duplicated) return state;
  const std::lock_guard turn(state->turns);
  if (state->is_duplicated) return state;
  MPI_Comm duplicate = MPI_COMM_NULL;
  check_mpi(MPI_Comm_dup(user, &duplicate), "MPI_Comm_dup");
  duplicates.fetch_add(1);
  take(*state, duplicate);
  state->is_duplicated = true;
  return state;
}

MPI_Comm usable(const CommunicatorState& state) {
  if (state.comm == MPI_COMM_NULL) {
    throw Error(
        ErrorCode::mpi_failure,
        "weft cannot communicate any more: MPI_Finalize was called; run transforms before it");
  }
  return state.comm;
}

void count_subset(int change) { subsets.fetch_add(change); }

CommunicatorCounts communicator_counts() {
  return {.duplicates = duplicates.load(), .subsets = subsets.load()};
}

}  // namespace weft::comm
