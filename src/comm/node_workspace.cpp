#include "comm/node_workspace.hpp"

#include <algorithm>
#include <new>

#include <weft/error.hpp>

#include "base/checked.hpp"
#include "comm/communicator_state.hpp"
#include "comm/end_all_ranks.hpp"

namespace weft::comm {
namespace {

/// Number of arrays that stay mapped, for each other rank. At least NodeWorkspace::shown_arrays are
/// needed, so that a call does not unmap its own arrays. With more, all fields of a solver stay
/// mapped.
constexpr std::size_t most_mapped = 16;

}  // namespace

NodeWorkspace::NodeWorkspace(const Communicator& comm, std::int64_t bytes) : rank_(comm.rank()) {
  const Communicator node = comm.node_group();
  memory_ =
      NodeMemory(node, checked_add(bytes, page_bytes, "the workspace"), node_memory_kind(comm));
  for (const int node_rank : comm.all_gather_values(node.rank()))
    starts_.push_back(static_cast<char*>(memory_.data_of(node_rank)));
  make_page();
  comm.barrier();  // all pages are ready before any rank arrives
}

NodeWorkspace::NodeWorkspace(std::vector<char*> memory, int rank)
    : rank_(rank), starts_(std::move(memory)) {
  make_page();
}

/// Initialises the page, because an MPI window need not start with zeros.
void NodeWorkspace::make_page() {
  static_assert(sizeof(Page) <= page_bytes);
  new (&page_of(rank_)) Page;
  std::vector<HandOverSlot*> slots;
  for (int rank = 0; rank < static_cast<int>(starts_.size()); ++rank)
    slots.push_back(&page_of(rank).flags);
  hand_over_ = HandOver(std::move(slots), rank_);
  mapped_.resize(starts_.size());
  for (auto& segments : mapped_) segments.reserve(most_mapped + 1);
}

NodeWorkspace::Page& NodeWorkspace::page_of(int rank) const {
  return *reinterpret_cast<Page*>(starts_[static_cast<std::size_t>(rank)]);
}

char* NodeWorkspace::data_of(int rank) const {
  return starts_[static_cast<std::size_t>(rank)] + page_bytes;
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
