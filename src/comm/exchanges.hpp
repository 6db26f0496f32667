#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "comm/communicator.hpp"

namespace weft::comm {

/// The messages of one rank to other ranks in one execution of a prepared exchange.
struct MessageTraffic {
  std::int64_t bytes = 0;
  std::int64_t messages = 0;  ///< messages that are not empty; each piece of a split block counts
};

/// A contiguous part of a buffer for one rank. Numbers are in elements.
struct Block {
  int peer = 0;
  std::int64_t offset = 0;
  std::int64_t count = 0;
};

/// An exchange of one contiguous block between each two ranks, and of each rank with itself.
/// Prepared once, executed many times without allocation.
///
/// Uses        MPI_Alltoall if all blocks of all ranks have one size and no gaps, otherwise
///             MPI_Alltoallv. If a count or displacement of any rank exceeds the count limit:
///             MPI_Alltoallv_c (MPI 4), otherwise messages of at most the limit in cyclic order.
///             All ranks make the same choice.
/// Memory      `send` and `recv` must not overlap. Peers without a block exchange nothing.
/// Collective  construction and executions; not thread-safe on one object.
///             Destruction is local, at any time.
/// Errors      on all ranks alike: Error(internal) if two blocks name the same peer, a number is
///             negative, or a peer does not exist. Also if two ranks expect different sizes of a
///             block.
class PackedAllToAll {
 public:
  PackedAllToAll(const Communicator& comm, std::span<const Block> send, std::span<const Block> recv,
                 std::int64_t element_bytes);
  void execute(const void* send, void* recv) const;
  /// Begins an execution. test() or wait() ends it. All ranks must begin executions in the same
  /// order.
  void start(const void* send, void* recv) const;
  /// Returns whether all started executions are complete. Does not wait.
  bool test() const;
  void wait() const;
  MessageTraffic traffic() const;
  std::int64_t bytes_sent() const { return traffic().bytes; }
  std::int64_t messages() const { return traffic().messages; }
  /// Returns the form of the call: "alltoall", "alltoallv", "alltoallv_c", "split" or "copy" (one
  /// rank).
  const char* form() const;

 private:
  struct Body;
  std::shared_ptr<Body> body_;
};

/// A strided box in a buffer for one rank. Numbers are in elements. Axes are in the order of the
/// message, from slowest to fastest, the same on both sides. Element (i, j, ...) of the sender's
/// box arrives as element (i, j, ...) of the receiver's box, for any strides. A box without axes
/// has one element. A box with a zero extent has none.
struct StridedBlock {
  int peer = 0;
  std::int64_t offset = 0;
  std::vector<std::int64_t> extents;
  std::vector<std::int64_t> strides;
};

/// An exchange of one strided box between each two ranks, and of each rank with itself, without
/// packing. Uses MPI_Alltoallw. Its derived datatypes are freed with this object. Otherwise as
/// PackedAllToAll.
///
/// Source  Dalcin, Mortensen and Keyes 2019, for the subarray form.
class StridedAllToAll {
 public:
  StridedAllToAll(const Communicator& comm, std::span<const StridedBlock> send,
                  std::span<const StridedBlock> recv, std::int64_t element_bytes);
  void execute(const void* send, void* recv) const;
  /// As PackedAllToAll.
  void start(const void* send, void* recv) const;
  bool test() const;
  void wait() const;
  MessageTraffic traffic() const;
  std::int64_t bytes_sent() const { return traffic().bytes; }
  std::int64_t messages() const { return traffic().messages; }

 private:
  struct Body;
  std::shared_ptr<Body> body_;
};

/// Returns the number of elements of a box.
std::int64_t volume_of(const StridedBlock& block);

/// A message to one rank and a message from one rank (the same or another) at the same time. There
/// is no message for an empty box.
struct MessageStep {
  int chunk = 0;
  StridedBlock send = {0, 0, {0}, {1}};
  StridedBlock recv = {0, 0, {0}, {1}};
};

struct MessageOptions {
  int at_once = 1;          ///< maximum number of steps under way at the same time; 0: no limit
  bool persistent = false;  ///< requests are created once and started in every execution
  /// If true, long blocks are divided into several messages. All blocks must then be contiguous on
  /// both sides. If false, each block is one message of any length.
  bool in_pieces = true;
  int tag = 0;  ///< must differ between concurrent exchanges
};

/// Messages of boxes, step by step and without packing. Boxes that are not contiguous use derived
/// datatypes. Chunks are parts of the exchange that are started one after the other.
///
/// If `at_once` is 1, the steps of all ranks must match, as pairwise rounds and cyclic steps do.
/// Otherwise a cycle of ranks could wait for each other. The blocks from one rank to another must
/// have the same order on both ranks.
///
/// Memory      sent and received blocks must not overlap.
/// Collective  construction, and one execution: start() of all chunks in order, then finish(). Not
///             thread-safe on one object. Destruction is local, at any time between executions.
/// Errors      on all ranks alike: Error(internal) if a rank names itself, a number is negative, or
///             a peer does not exist. Also if steps are not in the order of chunks, or two ranks
///             expect different sizes of a block. Error(mpi_failure) names the call and the peer.
class Messages {
 public:
  Messages(const Communicator& comm, std::span<const MessageStep> steps, std::int64_t element_bytes,
           const MessageOptions& options = {});
  /// Sends a chunk. Its data must be ready, and all earlier chunks must have been started.
  void start(int chunk, const void* send, void* recv) const;
  /// Makes progress with messages under way, without waiting.
  void progress() const;
  /// Returns when this rank has received its blocks of a started chunk.
  void wait(int chunk) const;
  /// Returns when all started messages of this rank have been sent or have arrived.
  void finish() const;
  /// Returns whether all started messages are complete.
  bool is_idle() const;
  /// Executes the exchange from start to end: starts chunks 0 to `chunks` - 1, then finishes.
  void execute(const void* send, void* recv, int chunks = 1) const {
    for (int chunk = 0; chunk < chunks; ++chunk) start(chunk, send, recv);
    finish();
  }
  MessageTraffic traffic() const;
  std::int64_t bytes_sent() const { return traffic().bytes; }
  std::int64_t messages() const { return traffic().messages; }

 private:
  struct Body;
  std::shared_ptr<Body> body_;
};

}  // namespace weft::comm
