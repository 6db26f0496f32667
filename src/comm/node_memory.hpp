#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "comm/communicator.hpp"

namespace weft::comm {

/// The kind of memory that the ranks of a node share.
///   memfd     anonymous memory that peers map through /proc/PID/fd, whatever the size of /dev/shm
///   posix     POSIX shared memory, in /dev/shm
///   window    MPI_Win_allocate_shared, only on request
///   ordinary  called "private": memory that peers cannot map, so ranks exchange by messages
enum class NodeMemoryKind : std::int32_t { memfd = 0, posix = 1, window = 2, ordinary = 3 };

/// "memfd", "posix", "window", "private".
const char* to_string(NodeMemoryKind kind);

/// The data that another rank of the node needs to map a segment. They are plain bytes, which the
/// owner of the segment sends to these ranks.
struct NodeHandle {
  std::int64_t bytes = 0;
  std::uint64_t cookie = 0;  ///< random part of the name, to detect a wrong process or file
  std::int32_t pid = 0;
  std::int32_t descriptor = -1;
  NodeMemoryKind kind = NodeMemoryKind::ordinary;
};

/// Memory of this process that ranks of its node can map, or the mapped memory of another rank. All
/// functions are local and make no MPI call.
///
/// Memory  Pages are reserved at creation, so that a lack of memory is an error and not a signal
///         later. Zero-filled, aligned to a page. Destruction is local; a peer's mapping stays
///         valid until the peer drops it.
class NodeSegment {
 public:
  NodeSegment() = default;

  /// Allocates memory of kind memfd, posix or ordinary.
  /// Errors  Error(out_of_memory) if there is not enough; Error(unsupported) if the kind is not
  ///         available.
  static NodeSegment create(NodeMemoryKind kind, std::int64_t bytes);

  /// Maps the segment of another rank.
  /// Errors  Error(unsupported) if the system forbids it, or if the owner has ended or has closed
  ///         the segment for newcomers. Also if handle.pid is the number of another process here,
  ///         because the owner is in another namespace.
  static NodeSegment attach(const NodeHandle& handle);

  /// Returns the segment of this process that contains an address, and the offset in it. Returns
  /// none if the address is not in node memory, or if the segment is closed for newcomers.
  /// Thread-safe.
  static std::optional<std::pair<NodeHandle, std::int64_t>> find(const void* address);

  void* data() const;
  std::int64_t size() const;
  NodeMemoryKind kind() const;
  const NodeHandle& handle() const;

  /// Closes the segment for further ranks, and frees the file descriptor and the name in /dev/shm.
  /// The owner calls this when all ranks have attached.
  void close_for_newcomers();

 private:
  struct Body;
  std::shared_ptr<Body> body_;
};

/// Returns the first kind that all ranks of this rank's node can use in a test: memfd, posix or
/// private. The result is the same on every rank of the node. The environment variable
/// WEFT_NODE_MEMORY=memfd|posix|window|private forces a kind; if it does not work, the kind is
/// private.
///
/// Collective over `comm` the first time; then local.
/// Errors  Error(invalid_argument) on all ranks if the variable has another value.
NodeMemoryKind node_memory_kind(const Communicator& comm);

/// As node_memory_kind(), but always tests again. For tests of weft.
NodeMemoryKind probe_node_memory(const Communicator& comm);

/// One segment of each rank of a node, mapped by all of them.
///
/// Memory      Destruction is local and safe at any time: each segment lives until the last rank
///             drops it. A window is freed when all ranks have dropped it and together make another
///             window. Otherwise it is freed with the communicator.
/// Collective  construction, over the node group.
/// Errors      the same on all ranks of the group.
class NodeMemory {
 public:
  NodeMemory() = default;
  /// `node` is a node_group(). `bytes` may differ between ranks, and may be 0. With the kind
  /// `ordinary` a rank sees only its own segment.
  NodeMemory(const Communicator& node, std::int64_t bytes, NodeMemoryKind kind);

  NodeMemoryKind kind() const;
  bool is_shared() const { return kind() != NodeMemoryKind::ordinary; }
  /// This rank's memory.
  void* data() const;
  std::int64_t size() const;
  /// Returns the memory of any rank of the node. Returns nullptr if it is not visible or has no
  /// bytes.
  void* data_of(int node_rank) const;
  std::int64_t size_of(int node_rank) const;

 private:
  struct Body;
  std::shared_ptr<Body> body_;
};

/// Throws Error(out_of_memory) on all ranks if, on any node, the ranks together need more memory
/// than the node has. `bytes` is the size that this rank is about to allocate. Collective over
/// `comm`.
void require_memory_together(const Communicator& comm, std::int64_t bytes, const std::string& what);

}  // namespace weft::comm
