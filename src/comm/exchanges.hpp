#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "comm/communicator.hpp"

namespace weft::comm {

/// What one rank sends when a prepared exchange is executed once, to other ranks only.
struct MessageTraffic {
  std::int64_t bytes = 0;
  std::int64_t messages = 0;  ///< non-empty; a block that the count limit splits counts by piece
};

/// A contiguous part of a buffer that goes to or comes from one rank. In elements.
struct Block {
  int peer = 0;
  std::int64_t offset = 0;
  std::int64_t count = 0;
};

/// Each rank sends one contiguous block to each rank and receives one from each, itself included.
/// Prepared once, executed many times without allocating.
///
/// Uses        MPI_Alltoall where all blocks of all ranks have one size and lie without gaps, else
///             MPI_Alltoallv; where a count or displacement of any rank exceeds the count limit,
///             MPI_Alltoallv_c (MPI 4), else messages of at most the limit in cyclic order.
///             All ranks choose alike.
/// Memory      `send` and `recv` must not overlap. Peers without a block exchange nothing.
/// Collective  construction and execute; not thread-safe on one object.
///             Dropping it is local, at any time.
/// Errors      on all ranks alike: Error(internal) when two blocks name the same peer, a number is
///             negative, a peer does not exist, or two ranks differ on what one sends the other.
class PackedAllToAll {
 public:
  PackedAllToAll(const Communicator& comm, std::span<const Block> send, std::span<const Block> recv,
                 std::int64_t element_bytes);
  void execute(const void* send, void* recv) const;
  /// Begins an execution that test() or wait() ends: all ranks begin in the same order.
  void start(const void* send, void* recv) const;
  /// True when what was started is done, or nothing was. Does not wait.
  bool test() const;
  void wait() const;
  MessageTraffic traffic() const;
  std::int64_t bytes_sent() const { return traffic().bytes; }
  std::int64_t messages() const { return traffic().messages; }
  /// "alltoall", "alltoallv", "alltoallv_c", "split" or "copy" (one rank): what execute does.
  const char* form() const;

 private:
  struct Body;
  std::shared_ptr<Body> body_;
};

/// A strided box in a buffer that goes to or comes from one rank. In elements; axes from slowest to
/// fastest in the order of travel, which must be the same on both sides: element (i, j, ...) of the
/// sender's box arrives as element (i, j, ...) of the receiver's, whatever the strides. No axis:
/// one element. A zero extent: nothing.
struct StridedBlock {
  int peer = 0;
  std::int64_t offset = 0;
  std::vector<std::int64_t> extents;
  std::vector<std::int64_t> strides;
};

/// Each rank sends one strided box to each rank and receives one from each, itself included,
/// without packing: MPI_Alltoallw with derived datatypes that live as long as this object. Else as
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

/// Elements of a box: the product of its extents.
std::int64_t volume_of(const StridedBlock& block);

/// What this rank sends to one rank and receives from one rank (the same or another) at the same
/// time; either box may be empty, and then that message is not sent.
struct MessageStep {
  int chunk = 0;
  StridedBlock send = {0, 0, {0}, {1}};
  StridedBlock recv = {0, 0, {0}, {1}};
};

struct MessageOptions {
  int at_once = 1;          ///< steps under way at the same time; 0: all that are started
  bool persistent = false;  ///< requests are made once and started again in every execution
  /// Blocks lie in a row on both sides, so that long ones can be cut into several messages. Else
  /// each block is one message, whatever its length.
  bool in_pieces = true;
  int tag = 0;  ///< of exchanges that are under way at the same time, not the same
};

/// Boxes that travel step by step, without packing; those that lie in a row as such, others as
/// derived datatypes. Chunks are parts of the exchange that are started one after the other.
///
/// Where `at_once` is 1 the steps of all ranks must match: no circle of ranks waits for each other
/// (pairwise rounds and cyclic steps are such). The blocks that one rank sends another must come in
/// the same order on both.
///
/// Memory      what is sent and received must not overlap.
/// Collective  construction, and one execution: start() of all chunks in order, then finish(); not
///             thread-safe on one object. Dropping it is local, at any time between executions.
/// Errors      on all ranks alike: Error(internal) when a rank names itself, a number is negative,
///             a peer does not exist, steps are not in the order of chunks, or two ranks differ on
///             what one sends the other. Error(mpi_failure) names the call and the peer.
class Messages {
 public:
  Messages(const Communicator& comm, std::span<const MessageStep> steps, std::int64_t element_bytes,
           const MessageOptions& options = {});
  /// The chunk's data are ready to be sent; chunks before it have been started.
  void start(int chunk, const void* send, void* recv) const;
  /// Moves on what is under way, without waiting.
  void progress() const;
  /// Returns when all that this rank receives of a started chunk has arrived.
  void wait(int chunk) const;
  /// Returns when everything that was started has arrived and has been sent.
  void finish() const;
  /// Nothing that was started is under way.
  bool is_idle() const;
  /// One chunk, or all at once.
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
