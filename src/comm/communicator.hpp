#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

namespace weft::comm {

struct CommunicatorState;
class PendingCall;

/// A group of ranks whose messages are separate from those of other groups. The object is a shared
/// handle, and cheap to copy. communicator_of() in from_mpi.hpp makes it from an MPI communicator.
///
/// Memory      Destruction is local and safe at any time, even after MPI_Finalize. The handle uses
///             a duplicate of the user's communicator. The duplicate is freed when the user frees
///             the original. If handles are still in use then, they stay valid, and MPI_Finalize
///             frees the duplicate.
/// Collective  All functions but rank, size and is_solo are collective over the group unless
///             documented otherwise. Threads that share a group hold its Turn
///             (collective_call.hpp).
/// Errors      A failing MPI call throws Error(mpi_failure), with the call and MPI's reason.
class Communicator {
 public:
  /// This process alone. Makes no MPI call, so it works without MPI_Init and after MPI_Finalize.
  Communicator();
  static Communicator solo() { return Communicator(); }

  int rank() const;
  int size() const;
  /// Returns whether this is a single rank without MPI.
  bool is_solo() const;

  /// Returns the group of all ranks with the same color, in the order of this group. A group of
  /// certain ranks is created once and then reused. It is freed with the duplicate.
  Communicator subset(std::int64_t color) const;

  /// Returns the ranks that can share memory with this one. Collective the first time, then local.
  Communicator node_group() const;

  /// Returns a group of all ranks, numbered node by node. Returns this group if its ranks already
  /// have that order. Otherwise creates the group in the first call, and reuses it later.
  Communicator by_nodes() const;

  /// Returns 1, 2, 3, ... as a name for an object that all ranks make together. Local; the same on
  /// all ranks that call it in the same order.
  std::int64_t next_number() const;

  void barrier() const;
  std::int64_t min(std::int64_t value) const;
  /// Starts to replace each of `values` by the least value of all ranks. They are replaced when
  /// `pending` has ended.
  void start_min(std::span<std::int64_t> values, PendingCall& pending) const;
  std::int64_t max(std::int64_t value) const;
  std::int64_t sum(std::int64_t value) const;
  double min(double value) const;
  double max(double value) const;
  double sum(double value) const;

  /// Returns whether all ranks have the same value. Cost: one small reduction.
  bool all_same(std::uint64_t value) const;

  /// Replaces `text` by the text of rank `root`, of any length.
  void broadcast(std::string& text, int root) const;
  /// Fills `data` with the bytes of rank `root`. `bytes` may be any number, the same on all ranks.
  void broadcast_bytes(void* data, std::int64_t bytes, int root) const;
  template <class T>
  T broadcast_value(T value, int root) const {
    static_assert(std::is_trivially_copyable_v<T>);
    broadcast_bytes(&value, sizeof(T), root);
    return value;
  }

  /// Returns the texts of all ranks, of any length, in rank order.
  std::vector<std::string> all_gather(const std::string& text) const;
  /// Returns the values of all ranks in rank order.
  template <class T>
  std::vector<T> all_gather_values(const T& value) const {
    static_assert(std::is_trivially_copyable_v<T> && !std::is_same_v<T, bool>);
    std::vector<T> all(static_cast<std::size_t>(size()));
    all_gather_bytes(&value, sizeof(T), all.data());
    return all;
  }
  /// Gathers `bytes` bytes of each rank into `all`, in rank order. `bytes` is the same on all
  /// ranks.
  void all_gather_bytes(const void* mine, std::int64_t bytes, void* all) const;

  /// Sends one number to every rank. Element r of the result is the number of rank r for this rank.
  std::vector<std::int64_t> all_to_all(const std::vector<std::int64_t>& values) const;

  /// Sends `send_count` elements to `peer` and receives `recv_count` from it, in as many messages
  /// as the count limit requires; either count may be 0. Both ranks must call this function. It
  /// is not collective over the group.
  void exchange_pair(int peer, const void* send, std::int64_t send_count, void* recv,
                     std::int64_t recv_count, std::int64_t element_bytes) const;

  /// Only for the implementation of src/comm.
  CommunicatorState& state() const { return *state_; }
  explicit Communicator(std::shared_ptr<CommunicatorState> state) : state_(std::move(state)) {}

  friend bool operator==(const Communicator& a, const Communicator& b) {
    return a.state_ == b.state_;
  }

 private:
  std::shared_ptr<CommunicatorState> state_;
};

/// Numbers of communicators that weft has made and not freed, for tests: duplicates, and groups
/// within them.
struct CommunicatorCounts {
  int duplicates = 0;
  int subsets = 0;
};
CommunicatorCounts communicator_counts();

}  // namespace weft::comm
