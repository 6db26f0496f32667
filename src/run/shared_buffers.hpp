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
  /// Workspace in node memory that buffers of these sizes need, in a plan of so many exchanges.
  static std::int64_t bytes(const BufferSizes& sizes, std::size_t exchanges);

  /// Collective over `comm`, whose ranks are all on one node. `sizes` may differ between ranks.
  SharedBuffers(const comm::Communicator& comm, const BufferSizes& sizes, std::size_t exchanges);

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
  using Offsets = std::array<std::int64_t, shared_count>;
  void* workspace_of(int rank, int buffer) const;
  void show(int which, int buffer, const void* array, std::int64_t bytes, void** buffers);

  int rank_ = 0;
  int call_ = 0;
  std::vector<Offsets> offsets_;  ///< by rank
  comm::NodeWorkspace workspace_;
};

}  // namespace weft::run
