#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "comm/communicator.hpp"

namespace weft::comm {

/// What one rank sends when a prepared exchange is executed once, to other ranks only.
struct Traffic {
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
/// Uses        MPI_Alltoallv; where a count or displacement of any rank exceeds the count limit,
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
  Traffic traffic() const;
  std::int64_t bytes_sent() const { return traffic().bytes; }
  std::int64_t messages() const { return traffic().messages; }
  /// "alltoallv", "alltoallv_c", "split" or "copy" (one rank): what execute does.
  const char* form() const;

 private:
  struct Body;
  std::shared_ptr<const Body> body_;
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
  Traffic traffic() const;
  std::int64_t bytes_sent() const { return traffic().bytes; }
  std::int64_t messages() const { return traffic().messages; }

 private:
  struct Body;
  std::shared_ptr<const Body> body_;
};

/// Messages with one peer after the other. In elements; either count may be 0, and then that
/// message is not sent. The rounds of all ranks must match: the k-th round of a with b happens in
/// the k-th round of b with a, and no circle of ranks waits for each other (pairwise_partner gives
/// such rounds).
///
/// Memory      `send` and `recv` must not overlap.
/// Collective  construction and execute, over the communicator; not thread-safe on one object.
/// Errors      on all ranks alike: Error(internal) when a rank names itself, a number is negative,
///             a peer does not exist, or two ranks differ on what one sends the other.
class PairwiseMessages {
 public:
  struct Round {
    int peer = 0;
    std::int64_t send_offset = 0;
    std::int64_t send_count = 0;
    std::int64_t recv_offset = 0;
    std::int64_t recv_count = 0;
  };
  PairwiseMessages(const Communicator& comm, std::span<const Round> rounds,
                   std::int64_t element_bytes);
  void execute(const void* send, void* recv) const;
  Traffic traffic() const;
  std::int64_t bytes_sent() const { return traffic().bytes; }
  std::int64_t messages() const { return traffic().messages; }

 private:
  struct Body;
  std::shared_ptr<const Body> body_;
};

}  // namespace weft::comm
