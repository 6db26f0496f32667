#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "comm/communicator.hpp"

namespace weft::comm {

/// How the ranks of a node share memory.
///   memfd     anonymous memory that peers map through /proc/PID/fd, whatever the size of /dev/shm
///   posix     POSIX shared memory, which lies in /dev/shm
///   window    MPI_Win_allocate_shared, only when asked for
///   ordinary  called "private": memory that peers cannot map, so ranks exchange by messages
enum class NodeMemoryKind : std::int32_t { memfd = 0, posix = 1, window = 2, ordinary = 3 };

/// "memfd", "posix", "window", "private".
const char* to_string(NodeMemoryKind kind);

/// What a peer on the same node needs to map a segment. Plain bytes, to be sent to other ranks.
struct NodeHandle {
  std::int64_t bytes = 0;
  std::uint64_t cookie = 0;  ///< random, part of the name: a wrong process or file is noticed
  std::int32_t pid = 0;
  std::int32_t descriptor = -1;
  NodeMemoryKind kind = NodeMemoryKind::ordinary;
};

/// Memory of this process that ranks of its node can map, or such memory of a peer.
/// Local: no MPI call.
///
/// Memory  Pages are reserved when it is made, so that a lack of memory is an error and never a
///         signal later. Zero-filled, aligned to a page. Dropping it is local; a peer's mapping
///         stays valid until the peer drops it.
class NodeSegment {
 public:
  NodeSegment() = default;

  /// New memory of kind memfd, posix or ordinary.
  /// Errors  Error(out_of_memory) when it is not there;
  ///         Error(unsupported) when the kind cannot be had here.
  static NodeSegment create(NodeMemoryKind kind, std::int64_t bytes);

  /// Maps a peer's segment.
  /// Errors  Error(unsupported) when the system forbids it, when the peer is gone or has closed it
  ///         for newcomers, or when its process is not the one it seems (another namespace).
  static NodeSegment attach(const NodeHandle& handle);

  /// The segment of this process that an address lies in, and how far from its start; none where it
  /// is no node memory, or closed for newcomers. Thread-safe.
  static std::optional<std::pair<NodeHandle, std::int64_t>> find(const void* address);

  void* data() const;
  std::int64_t size() const;
  NodeMemoryKind kind() const;
  const NodeHandle& handle() const;

  /// No further peer can attach; gives back the file descriptor, and the name in /dev/shm. To be
  /// called by the owner when all peers have attached.
  void close_for_newcomers();

 private:
  struct Body;
  std::shared_ptr<Body> body_;
};

/// The kind that all ranks of this rank's node can really use, found by trying: memfd, else posix,
/// else private; the same on every rank of the node. The environment variable
/// WEFT_NODE_MEMORY=memfd|posix|window|private forces one where it works, and private elsewhere.
///
/// Collective over `comm` the first time; local from then on.
/// Errors  Error(invalid_argument) on all ranks when the variable holds another word.
NodeMemoryKind node_memory_kind(const Communicator& comm);

/// The same without the memory of an earlier call, for tests.
NodeMemoryKind probe_node_memory(const Communicator& comm);

/// One segment of each rank of a node, mapped by all of them.
///
/// Memory      Dropping it is local and safe at any time: each rank's segment lives until the last
///             rank drops it. A window is given back by MPI when all ranks have dropped it and the
///             next one is made, or the communicator is freed.
/// Collective  construction, over the node group.
/// Errors      the same on all ranks of the group.
class NodeMemory {
 public:
  NodeMemory() = default;
  /// `node` is a node_group(); `bytes` may differ between ranks and be 0.
  /// With kind ordinary a rank sees only its own.
  NodeMemory(const Communicator& node, std::int64_t bytes, NodeMemoryKind kind);

  NodeMemoryKind kind() const;
  bool is_shared() const { return kind() != NodeMemoryKind::ordinary; }
  /// This rank's memory.
  void* data() const;
  std::int64_t size() const;
  /// The memory of any rank of the node; nullptr where it cannot be seen or has no bytes.
  void* data_of(int node_rank) const;
  std::int64_t size_of(int node_rank) const;

 private:
  struct Body;
  std::shared_ptr<Body> body_;
};

/// Throws Error(out_of_memory) on all ranks when the ranks of any node together ask for more than
/// that node has; `bytes` is what this rank is about to allocate. Collective over `comm`.
void require_memory_together(const Communicator& comm, std::int64_t bytes, const std::string& what);

}  // namespace weft::comm
