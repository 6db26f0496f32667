#pragma once

#include <array>
#include <vector>

#include "comm/node_workspace.hpp"
#include "run/buffers.hpp"

namespace weft::run {

/// The buffers of a run that other ranks see: workspace in node memory, and the caller's arrays
/// where those lie in node memory too.
class SharedBuffers {
 public:
  /// Workspace in node memory that buffers of these sizes need.
  static std::int64_t bytes(const BufferSizes& sizes);

  /// Collective over `comm`; shared by the ranks of a node, which have consecutive numbers in it.
  /// `sizes` may differ between ranks.
  SharedBuffers(const comm::Communicator& comm, const BufferSizes& sizes);

  /// Of threads that stand in for the ranks of one node, in tests: `memory` and `sizes` of each.
  /// Local; see NodeWorkspace.
  SharedBuffers(std::vector<char*> memory, const std::vector<BufferSizes>& sizes, int rank);

  comm::HandOver& hand_over() { return workspace_.hand_over(); }
  /// How many pointers a run has: buffer_count and one for each shared buffer of each rank.
  std::size_t pointers() const;

  /// Begins a call: waits until no rank uses this rank's workspace any more, and fills in the
  /// shared buffers of this rank and the even and odd ones of the others. Source and target become
  /// the caller's arrays, where they have `bytes` there that peers can be shown.
  /// `call` tells what kind of call this is.
  void begin(void** buffers, const BufferSizes& bytes, int call);
  /// Fills in source and target of the other ranks; after the first exchange of a call. Throws
  /// Error(disagreement) on all ranks where they are in different kinds of calls.
  void find_shown(void** buffers);
  /// Ends a call; `wait`: until all ranks have.
  void end(bool wait);

 private:
  SharedBuffers(const comm::Communicator& comm, const comm::Communicator& node,
                const BufferSizes& sizes);
  using Offsets = std::array<std::int64_t, shared_count>;
  void* workspace_of(int rank, int buffer) const;
  void show(int which, int buffer, const void* array, std::int64_t bytes, void** buffers);

  int members() const { return static_cast<int>(offsets_.size()); }
  /// Number of a shared buffer of a rank of this node.
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
