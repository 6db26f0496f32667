#include "comm/node_workspace.hpp"

#include <algorithm>
#include <new>

#include <weft/error.hpp>

#include "base/checked.hpp"
#include "comm/communicator_state.hpp"
#include "comm/end_all_ranks.hpp"

namespace weft::comm {
namespace {

/// The flags and notices of a rank come before its workspace, which starts on a page of its own.
constexpr std::int64_t page_bytes = 4096;

/// Peers' arrays that stay mapped, for each rank. At least NodeWorkspace::shown_arrays, so that
/// none of one call is dropped in it; more, so that the fields of a solver find theirs mapped.
constexpr std::size_t most_mapped = 16;

}  // namespace

NodeWorkspace::NodeWorkspace(const Communicator& comm, std::int64_t bytes) : rank_(comm.rank()) {
  static_assert(sizeof(Page) <= page_bytes);
  const Communicator node = comm.node_group();
  node_rank_ = comm.all_gather_values(node.rank());
  memory_ =
      NodeMemory(node, checked_add(bytes, page_bytes, "the workspace"), node_memory_kind(comm));
  // All pages are ready before anyone arrives; an MPI window need not start with zeros.
  new (&page_of(rank_)) Page;
  comm.barrier();
  std::vector<HandOverSlot*> slots;
  for (int rank = 0; rank < comm.size(); ++rank) slots.push_back(&page_of(rank).flags);
  hand_over_ = HandOver(std::move(slots), rank_);
  mapped_.resize(static_cast<std::size_t>(comm.size()));
  for (auto& segments : mapped_) segments.reserve(most_mapped + 1);
}

NodeWorkspace::Page& NodeWorkspace::page_of(int rank) const {
  return *static_cast<Page*>(memory_.data_of(node_rank_[static_cast<std::size_t>(rank)]));
}

char* NodeWorkspace::data_of(int rank) const {
  return static_cast<char*>(memory_.data_of(node_rank_[static_cast<std::size_t>(rank)])) +
         page_bytes;
}

bool NodeWorkspace::can_show(const void* array, std::int64_t bytes) const {
  const auto found = NodeSegment::find(array);
  return found && found->first.kind == memory_.kind() &&
         found->second + bytes <= found->first.bytes;
}

void NodeWorkspace::show(int which, const void* array, std::int64_t workspace_offset) {
  Notice& notice = page_of(rank_).notices[static_cast<std::size_t>(which)];
  if (array == nullptr) {
    notice = {{}, workspace_offset};
    return;
  }
  const auto found = NodeSegment::find(array);
  notice = {found->first, found->second};
}

const NodeSegment& NodeWorkspace::mapped(int rank, const NodeHandle& handle) {
  auto& segments = mapped_[static_cast<std::size_t>(rank)];
  const auto found = std::find_if(segments.begin(), segments.end(), [&](const NodeSegment& s) {
    return s.handle().cookie == handle.cookie;
  });
  if (found != segments.end()) {
    std::rotate(found, found + 1, segments.end());
    return segments.back();
  }
  try {
    segments.push_back(NodeSegment::attach(handle));
  } catch (const std::exception& error) {
    end_all_ranks(rank_, "cannot map an array of rank " + std::to_string(rank) + ": " +
                             error.what() +
                             "; set WEFT_NODE_MEMORY=private to exchange by messages");
  }
  if (segments.size() > most_mapped) segments.erase(segments.begin());
  return segments.back();
}

char* NodeWorkspace::shown(int which, int rank) {
  const Notice& notice = page_of(rank).notices[static_cast<std::size_t>(which)];
  if (notice.segment.bytes == 0) return data_of(rank) + notice.offset;
  return static_cast<char*>(mapped(rank, notice.segment).data()) + notice.offset;
}

}  // namespace weft::comm
