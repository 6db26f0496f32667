#include "comm/node_memory.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdlib>
#include <optional>
#include <string>
#include <utility>

#include <weft/error.hpp>

#include "base/checked.hpp"
#include "base/memory.hpp"
#include "comm/agreement.hpp"
#include "comm/communicator_state.hpp"
#include "comm/mpi_check.hpp"

namespace weft::comm {
namespace {

constexpr const char* variable = "WEFT_NODE_MEMORY";

constexpr std::int64_t window_alignment = AlignedBuffer::alignment_bytes;

void* aligned(void* address) {
  const auto value = reinterpret_cast<std::uintptr_t>(address);
  return static_cast<char*>(address) +
         (window_alignment - value % window_alignment) % window_alignment;
}

constexpr std::array kinds = {NodeMemoryKind::memfd, NodeMemoryKind::posix, NodeMemoryKind::window,
                              NodeMemoryKind::ordinary};

/// Returns the kind that the environment requests, if any.
std::optional<NodeMemoryKind> kind_asked() {
  const char* text = std::getenv(variable);
  if (text == nullptr || *text == '\0') return std::nullopt;
  for (const NodeMemoryKind kind : kinds) {
    if (std::string(text) == to_string(kind)) return kind;
  }
  throw Error(ErrorCode::invalid_argument, "the environment variable " + std::string(variable) +
                                               " must be memfd, posix, window or private; given '" +
                                               text + "'");
}

/// Returns the test value that one rank writes for another. It differs for every pair, and is never
/// 0, because new memory is 0.
std::int64_t mark(int writer, int owner) {
  return (std::int64_t{writer} + 1) << 32 | (std::int64_t{owner} + 1);
}

/// Returns whether every rank of the node reads the values of every other rank, in the memory of
/// every rank.
bool really_shared(const Communicator& node, const NodeMemory& memory) {
  const int ranks = node.size();
  for (int owner = 0; owner < ranks; ++owner) {
    static_cast<volatile std::int64_t*>(memory.data_of(owner))[node.rank()] =
        mark(node.rank(), owner);
  }
  __atomic_thread_fence(__ATOMIC_SEQ_CST);
  node.barrier();
  bool same = true;
  for (int owner = 0; owner < ranks; ++owner) {
    const auto* marks = static_cast<const volatile std::int64_t*>(memory.data_of(owner));
    for (int writer = 0; writer < ranks; ++writer)
      same = same && marks[writer] == mark(writer, owner);
  }
  return node.min(std::int64_t{same}) == 1;
}

/// Returns whether all ranks of the node can use this kind. Collective over the node.
bool works(const Communicator& node, NodeMemoryKind kind) {
  if (kind == NodeMemoryKind::ordinary) return true;
  try {
    const auto bytes = static_cast<std::int64_t>(sizeof(std::int64_t)) * node.size();
    return really_shared(node, NodeMemory(node, bytes, kind));
  } catch (const Error&) {  // all ranks of the node get this error: the kind is not available
    return false;
  }
}

}  // namespace

const char* to_string(NodeMemoryKind kind) {
  switch (kind) {
    case NodeMemoryKind::memfd:
      return "memfd";
    case NodeMemoryKind::posix:
      return "posix";
    case NodeMemoryKind::window:
      return "window";
    case NodeMemoryKind::ordinary:
      break;
  }
  return "private";
}

NodeMemoryKind probe_node_memory(const Communicator& comm) {
  const std::optional<NodeMemoryKind> asked = together(comm, [] { return kind_asked(); });
  require_same(comm, {{variable, asked ? to_string(*asked) : "(not set)"}}, "node memory");
  const Communicator node = comm.node_group();
  if (asked) return works(node, *asked) ? *asked : NodeMemoryKind::ordinary;
  for (const NodeMemoryKind kind : {NodeMemoryKind::memfd, NodeMemoryKind::posix}) {
    if (works(node, kind)) return kind;
  }
  return NodeMemoryKind::ordinary;
}

NodeMemoryKind node_memory_kind(const Communicator& comm) {
  std::optional<NodeMemoryKind>& known = comm.state().node_memory_kind;
  if (!known) known = probe_node_memory(comm);
  return *known;
}

struct NodeMemory::Body {
  NodeMemoryKind kind = NodeMemoryKind::ordinary;
  int rank = 0;
  std::vector<NodeSegment> segments;  ///< one for each rank; empty for a window
  std::vector<void*> data;            ///< by rank
  std::vector<std::int64_t> sizes;    ///< by rank
  Communicator node;
  std::shared_ptr<Window> window;

  void map_segments(std::int64_t bytes);
  void make_window(std::int64_t bytes);
  ~Body() {
    if (!window) return;
    window->dropped = true;
    count_memory(-sizes[static_cast<std::size_t>(rank)]);
  }
};

void NodeMemory::Body::map_segments(std::int64_t bytes) {
  NodeSegment mine = together(node, [&] { return NodeSegment::create(kind, bytes); });
  const std::vector<NodeHandle> handles = node.all_gather_values(mine.handle());
  // When `together` returns, all ranks have attached. The name and the descriptor are then no
  // longer needed.
  together(node, [&] {
    for (int peer = 0; peer < node.size(); ++peer) {
      const NodeHandle& handle = handles[static_cast<std::size_t>(peer)];
      const bool visible = peer == rank || kind != NodeMemoryKind::ordinary;
      segments.push_back(peer == rank ? mine
                         : visible    ? NodeSegment::attach(handle)
                                      : NodeSegment());
      data.push_back(segments.back().data());
      sizes.push_back(handle.bytes);
    }
  });
  mine.close_for_newcomers();
}

void NodeMemory::Body::make_window(std::int64_t bytes) {
  if (node.is_solo())
    throw Error(ErrorCode::unsupported, "an MPI window needs at least 2 ranks on the node");
  together(node, [&] { require_memory(bytes, "node memory"); });
  free_dropped_windows(node);
  void* base = nullptr;
  auto made = std::make_shared<Window>();
  // MPI may place a segment at any address in a page. All ranks map it from the start of a page, so
  // all round up by the same amount.
  check_mpi(MPI_Win_allocate_shared(checked_cast<MPI_Aint>(bytes + window_alignment),
                                    1,  // displacement unit: bytes
                                    MPI_INFO_NULL, usable(node.state()), &base, &made->win),
            "MPI_Win_allocate_shared");
  // MPI allows loads and stores of other ranks only within an access epoch. This one lasts until
  // the window is freed.
  check_mpi(MPI_Win_lock_all(MPI_MODE_NOCHECK, made->win), "MPI_Win_lock_all");
  made->is_locked = true;
  node.state().windows.push_back(made);
  sizes = node.all_gather_values(bytes);
  window = std::move(made);
  count_memory(bytes);
  for (int peer = 0; peer < node.size(); ++peer) {
    MPI_Aint size = 0;
    int unit = 0;
    void* address = nullptr;
    check_mpi(MPI_Win_shared_query(window->win, peer, &size, &unit, &address),
              "MPI_Win_shared_query", peer);
    data.push_back(sizes[static_cast<std::size_t>(peer)] > 0 ? aligned(address) : nullptr);
  }
}

NodeMemory::NodeMemory(const Communicator& node, std::int64_t bytes, NodeMemoryKind kind)
    : body_(std::make_shared<Body>()) {
  body_->kind = kind;
  body_->rank = node.rank();
  body_->node = node;
  if (kind == NodeMemoryKind::window) {
    body_->make_window(bytes);
  } else {
    body_->map_segments(bytes);
  }
}

NodeMemoryKind NodeMemory::kind() const { return body_ ? body_->kind : NodeMemoryKind::ordinary; }
void* NodeMemory::data() const { return body_ ? data_of(body_->rank) : nullptr; }
std::int64_t NodeMemory::size() const { return body_ ? size_of(body_->rank) : 0; }
void* NodeMemory::data_of(int node_rank) const {
  return body_->data[static_cast<std::size_t>(node_rank)];
}
std::int64_t NodeMemory::size_of(int node_rank) const {
  return body_->sizes[static_cast<std::size_t>(node_rank)];
}

void require_memory_together(const Communicator& comm, std::int64_t bytes,
                             const std::string& what) {
  const Communicator node = comm.node_group();
  const double asked = node.sum(static_cast<double>(bytes));  // an integer sum may overflow
  const std::int64_t available = node.min(unpromised_memory_bytes());
  std::optional<Error> failed;
  if (asked >= static_cast<double>(AlignedBuffer::huge_from_bytes) &&
      asked > static_cast<double>(available)) {
    const auto mebibytes = [](double amount) {
      return std::to_string(static_cast<std::int64_t>(amount / 1048576));
    };
    failed = Error(ErrorCode::out_of_memory,
                   what + " needs " + mebibytes(asked) + " MiB on a node of " +
                       std::to_string(node.size()) + " ranks and " +
                       mebibytes(static_cast<double>(available)) +
                       " MiB are available there; use more nodes or a smaller size");
  }
  agree_or_throw(comm, failed);
}

}  // namespace weft::comm
