#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "comm/hand_over.hpp"
#include "comm/node_memory.hpp"

namespace weft::comm {

/// Workspace that all ranks of one node see, how they take turns with it, and how they show each
/// other arrays of their callers.
///
/// Memory      one segment of node memory a rank. Peers' arrays that were shown stay mapped while
///             they are among the last few, so that showing them again costs nothing.
/// Collective  construction, over `comm`, whose ranks are all on one node. Errors are the same on
///             all of them. Dropping it is local.
class NodeWorkspace {
 public:
  /// How many arrays a rank can show at a time.
  static constexpr int shown_arrays = 2;

  NodeWorkspace(const Communicator& comm, std::int64_t bytes);

  /// The workspace of a rank of `comm`, as this process sees it.
  char* data_of(int rank) const;
  HandOver& hand_over() { return hand_over_; }

  /// True when peers can be shown this array: it is in node memory of the workspace's kind.
  bool can_show(const void* array, std::int64_t bytes) const;
  /// Tells the others, after this rank's next arrival, what it is doing; and what `rank` has told.
  void announce(std::int32_t call) { page_of(rank_).call = call; }
  std::int32_t announced(int rank) const { return page_of(rank).call; }
  /// Lets peers find array number `which` of this rank after its next arrival: one that can be
  /// shown, or, for nullptr, the part of the workspace at `workspace_offset`.
  void show(int which, const void* array, std::int64_t workspace_offset);
  /// Array number `which` that `rank`, another one, has shown before an arrival that this rank has
  /// waited for.
  /// Ends the program where the system no longer lets this process map it: there is no way back in
  /// the middle of a hand-over.
  char* shown(int which, int rank);

 private:
  struct Notice {
    NodeHandle segment;  ///< bytes 0: the workspace
    std::int64_t offset = 0;
  };
  struct Page {
    HandOverSlot flags;
    std::int32_t call = 0;
    std::array<Notice, shown_arrays> notices;
  };
  Page& page_of(int rank) const;
  const NodeSegment& mapped(int rank, const NodeHandle& handle);

  int rank_ = 0;
  std::vector<int> node_rank_;  ///< by rank of `comm`
  NodeMemory memory_;
  HandOver hand_over_;
  std::vector<std::vector<NodeSegment>> mapped_;  ///< by rank; the one last used is last
};

}  // namespace weft::comm
