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

  /// The flags and notices of a rank come before its workspace, which starts on a page of its own.
  static constexpr std::int64_t page_bytes = 4096;

  NodeWorkspace(const Communicator& comm, std::int64_t bytes);
  /// Of threads that stand in for ranks, in tests: `memory` of each, page_bytes and the workspace.
  /// Local; nobody may arrive before all are made.
  NodeWorkspace(std::vector<char*> memory, int rank);

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
  void make_page();
  Page& page_of(int rank) const;
  const NodeSegment& mapped(int rank, const NodeHandle& handle);

  int rank_ = 0;
  NodeMemory memory_;
  std::vector<char*> starts_;  ///< of the memory of each rank, as this process sees it
  HandOver hand_over_;
  std::vector<std::vector<NodeSegment>> mapped_;  ///< by rank; the one last used is last
};

}  // namespace weft::comm
