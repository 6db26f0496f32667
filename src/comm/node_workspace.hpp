#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "comm/hand_over.hpp"
#include "comm/node_memory.hpp"

namespace weft::comm {

/// Workspace that all ranks of one node see. The ranks also synchronise its use, and give each
/// other access to arrays of their callers.
///
/// Memory      one segment of node memory per rank. The last few arrays of peers stay mapped, so
///             that another access to them is free.
/// Collective  construction, over `comm`, with all ranks on one node. Errors are the same on all of
///             them. Destruction is local.
class NodeWorkspace {
 public:
  /// Number of arrays that a rank can show at a time.
  static constexpr int shown_arrays = 2;

  /// Size of the flags and notices of a rank. They precede its workspace, which starts on the next
  /// page.
  static constexpr std::int64_t page_bytes = 4096;

  NodeWorkspace(const Communicator& comm, std::int64_t bytes);
  /// For tests, in which threads replace ranks: `memory` of each, with page_bytes and the
  /// workspace. Local; no thread may arrive before all are made.
  NodeWorkspace(std::vector<char*> memory, int rank);

  /// Returns the workspace of a rank of `comm`, as this process sees it.
  char* data_of(int rank) const;
  HandOver& hand_over() { return hand_over_; }

  /// Returns true when peers can access this array: it is in node memory of the workspace's kind.
  bool can_show(const void* array, std::int64_t bytes) const;
  /// Publishes the call of this rank, after its next arrival; announced() returns that of `rank`.
  void announce(std::int32_t call) { page_of(rank_).call = call; }
  std::int32_t announced(int rank) const { return page_of(rank).call; }
  /// Gives peers access to array number `which` of this rank after its next arrival. The array is
  /// one that can be shown or, for nullptr, the workspace at `workspace_offset`.
  void show(int which, const void* array, std::int64_t workspace_offset);
  /// Returns array number `which` that another rank, `rank`, has shown before an arrival for which
  /// this rank has waited. Ends the program if the system does not let this process map it, because
  /// a synchronisation that has begun cannot be cancelled.
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
  std::vector<char*> starts_;  ///< start of the memory of each rank, as this process sees it
  HandOver hand_over_;
  std::vector<std::vector<NodeSegment>> mapped_;  ///< by rank; the most recently used is last
};

}  // namespace weft::comm
