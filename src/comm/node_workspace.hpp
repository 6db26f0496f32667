#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "comm/hand_over.hpp"
#include "comm/node_memory.hpp"

namespace weft::comm {

/// Workspace that all ranks of one node can read and write. The ranks also synchronise their use of
/// the workspace, and give each other access to arrays of their callers.
///
/// Memory      one segment of node memory for each rank. The most recently used arrays of other
///             ranks stay mapped, so another access to them costs nothing.
/// Collective  construction, over `comm`, with all ranks on one node. Errors are the same on all of
///             them. Destruction is local.
class NodeWorkspace {
 public:
  /// Number of arrays to which a rank can give access at a time.
  static constexpr int shown_arrays = 2;

  /// Size of the flags and notices of a rank. They precede its workspace, which starts on the next
  /// page.
  static constexpr std::int64_t page_bytes = 4096;

  NodeWorkspace(const Communicator& comm, std::int64_t bytes);
  /// For tests in which threads replace ranks. `memory` has one pointer for each rank, to
  /// page_bytes bytes and the workspace after them. Local. The objects of all threads must be made
  /// before any thread arrives.
  NodeWorkspace(std::vector<char*> memory, int rank);

  /// Returns the address of a rank's workspace in this process.
  char* data_of(int rank) const;
  HandOver& hand_over() { return hand_over_; }

  /// Returns whether other ranks can access this array. They can if it is in node memory of the
  /// workspace's kind.
  bool can_show(const void* array, std::int64_t bytes) const;
  /// Publishes the call of this rank. After the next arrival of this rank, the others can read it
  /// by announced().
  void announce(std::int32_t call) { page_of(rank_).call = call; }
  std::int32_t announced(int rank) const { return page_of(rank).call; }
  /// Gives other ranks access to array number `which` of this rank, after the next arrival of this
  /// rank. can_show() must be true for the array. nullptr means the workspace at
  /// `workspace_offset`.
  void show(int which, const void* array, std::int64_t workspace_offset);
  /// Returns the address of array number `which` to which `rank` gave access by show(). This rank
  /// must have waited for an arrival of `rank` after show(). If the system does not let this
  /// process map the array, ends the program, because a synchronisation that has begun cannot be
  /// cancelled.
  char* shown(int which, int rank);

 private:
  struct Notice {
    NodeHandle segment;  ///< segment of the array; 0 bytes: the workspace
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
  std::vector<char*> starts_;  ///< address in this process of each rank's memory
  HandOver hand_over_;
  std::vector<std::vector<NodeSegment>> mapped_;  ///< mapped arrays of each rank; the most recently
                                                  ///< used is last
};

}  // namespace weft::comm
