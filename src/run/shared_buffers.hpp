#pragma once

#include <array>
#include <vector>

#include "comm/node_workspace.hpp"
#include "run/buffers.hpp"

namespace weft::run {

/// The buffers of a run that other ranks can access: workspace in node memory, and the caller's
/// arrays if they are in node memory too.
class SharedBuffers {
 public:
  /// Returns the workspace in node memory for buffers of these sizes.
  static std::int64_t bytes(const BufferSizes& sizes);

  /// Collective over `comm`. The ranks of each node share its memory, and have consecutive numbers
  /// in `comm`. `sizes` may differ between ranks.
  SharedBuffers(const comm::Communicator& comm, const BufferSizes& sizes);

  /// For tests, in which threads replace the ranks of one node: `memory` and `sizes` of each
  /// thread. Local; see NodeWorkspace.
  SharedBuffers(std::vector<char*> memory, const std::vector<BufferSizes>& sizes, int rank);

  comm::HandOver& hand_over() { return workspace_.hand_over(); }
  /// Returns the number of pointers of a run: buffer_count and one for each shared buffer of each
  /// rank.
  std::size_t pointers() const;

  /// Begins a call. Waits until no rank uses this rank's workspace any more. Fills in the shared
  /// buffers of this rank, and the even, odd and arrival buffers of the others. Source and target
  /// become the caller's arrays, if these have at least `bytes` and other ranks can access them.
  /// `call` is the kind of the call, a RouteCall.
  void begin(void** buffers, const BufferSizes& bytes, int call);
  /// Fills in source and target of the other ranks, after the first exchange of a call. Throws
  /// Error(disagreement) on all ranks of the node if they are in different kinds of calls.
  void find_shown(void** buffers);
  /// Ends a call. If `wait`, waits until all ranks have ended it.
  void end(bool wait);

 private:
  SharedBuffers(const comm::Communicator& comm, const comm::Communicator& node,
                const BufferSizes& sizes);
  using Offsets = std::array<std::int64_t, shared_count>;
  void* workspace_of(int rank, int buffer) const;
  void show(int which, int buffer, const void* array, std::int64_t bytes, void** buffers);

  int members() const { return static_cast<int>(offsets_.size()); }
  /// Returns the number of a shared buffer of a rank of this node.
  int peer_buffer(int buffer, int node_rank) const {
    return first_peer_buffer(buffer, ranks_) + first_rank_ + node_rank;
  }

  int ranks_ = 0;       ///< of the communicator
  int first_rank_ = 0;  ///< of this node, in the communicator
  int rank_ = 0;        ///< on this node
  int call_ = 0;
  std::vector<Offsets> offsets_;  ///< by rank on this node
  comm::NodeWorkspace workspace_;
};

}  // namespace weft::run
