#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

namespace weft::comm {

struct CommunicatorState;
class Pending;

/// A group of ranks that talk without disturbing anyone else's messages. A cheap shared handle.
/// communicator_of() in from_mpi.hpp makes one of an MPI communicator.
///
/// Memory      Dropping it is local and safe at any time, also after MPI_Finalize. The duplicate
///             behind it is freed when the user frees his communicator, or in MPI_Finalize; where
///             handles are still in use when the user frees his, they go on working and the
///             duplicate is freed in MPI_Finalize.
/// Collective  Everything but rank, size and is_solo is collective over the group unless it says
///             otherwise. Threads that share a group hold its Turn (collective_call.hpp) meanwhile.
/// Errors      A failing MPI call ends in Error(mpi_failure) that names the call and MPI's reason.
class Communicator {
 public:
  /// This process alone. Makes no MPI call, so it works without MPI_Init and after MPI_Finalize.
  Communicator();
  static Communicator solo() { return Communicator(); }

  int rank() const;
  int size() const;
  /// One rank, no MPI behind it.
  bool is_solo() const;

  /// The ranks that give the same color, in the order of their ranks here. Made once for the same
  /// group of ranks, then found again. Freed with the duplicate.
  Communicator subset(std::int64_t color) const;

  /// The ranks that can share memory with this one. Collective the first time, local from then on.
  Communicator node_group() const;

  /// All ranks, numbered node by node: this group where they are so already. Made once.
  Communicator by_nodes() const;

  /// 1, 2, 3, ...: a name for something that all ranks make together. Local; the same on all ranks
  /// that ask in the same order.
  std::int64_t next_number() const;

  void barrier() const;
  std::int64_t min(std::int64_t value) const;
  /// Has each of `values` replaced by the least of all ranks once `pending` is done.
  void start_min(std::span<std::int64_t> values, Pending& pending) const;
  std::int64_t max(std::int64_t value) const;
  std::int64_t sum(std::int64_t value) const;
  double min(double value) const;
  double max(double value) const;
  double sum(double value) const;

  /// True when all ranks give the same value. One small reduction.
  bool all_same(std::uint64_t value) const;

  /// Replaces `text` by that of `root`; any length.
  void broadcast(std::string& text, int root) const;
  /// Fills `bytes` bytes, the same number on all ranks, with those of `root`; any number.
  void broadcast_bytes(void* data, std::int64_t bytes, int root) const;
  template <class T>
  T broadcast_value(T value, int root) const {
    static_assert(std::is_trivially_copyable_v<T>);
    broadcast_bytes(&value, sizeof(T), root);
    return value;
  }

  /// The texts of all ranks in rank order; any lengths.
  std::vector<std::string> all_gather(const std::string& text) const;
  /// The values of all ranks in rank order.
  template <class T>
  std::vector<T> all_gather_values(const T& value) const {
    static_assert(std::is_trivially_copyable_v<T> && !std::is_same_v<T, bool>);
    std::vector<T> all(static_cast<std::size_t>(size()));
    all_gather_bytes(&value, sizeof(T), all.data());
    return all;
  }
  /// Every rank gives `bytes` bytes, the same number; `all` receives them in rank order.
  void all_gather_bytes(const void* mine, std::int64_t bytes, void* all) const;

  /// Sends one number to every rank: element r of the result is what rank r gave for this rank.
  std::vector<std::int64_t> all_to_all(const std::vector<std::int64_t>& values) const;

  /// Sends `send_count` elements to `peer` and receives `recv_count` from it, in as many messages
  /// as the count limit asks for; either count may be 0.
  /// Both ranks call it; not collective over the group.
  void exchange_pair(int peer, const void* send, std::int64_t send_count, void* recv,
                     std::int64_t recv_count, std::int64_t element_bytes) const;

  /// For the implementation of comm.
  CommunicatorState& state() const { return *state_; }
  explicit Communicator(std::shared_ptr<CommunicatorState> state) : state_(std::move(state)) {}

  friend bool operator==(const Communicator& a, const Communicator& b) {
    return a.state_ == b.state_;
  }

 private:
  std::shared_ptr<CommunicatorState> state_;
};

/// Communicators that weft has made and not freed, for tests: duplicates, and groups within them.
struct CommunicatorCounts {
  int duplicates = 0;
  int subsets = 0;
};
CommunicatorCounts communicator_counts();

}  // namespace weft::comm
