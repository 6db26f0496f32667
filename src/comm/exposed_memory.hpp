#pragma once

#include <cstdint>
#include <memory>
#include <span>

#include "comm/exchanges.hpp"

namespace weft::comm {

/// Memory of this rank into which the other ranks of a group put blocks. It is a window that MPI
/// allocates, or ordinary memory if there is only one rank.
///
/// Memory      Destruction is local and safe at any time. The window is freed when all ranks have
///             dropped it and together make another window. Otherwise it is freed with the
///             communicator.
/// Collective  construction, over `comm`; `bytes` may differ between ranks and may be 0.
/// Errors      the same on all ranks: Error(out_of_memory); Error(mpi_failure) if MPI makes no
///             window.
class ExposedMemory {
 public:
  ExposedMemory() = default;
  ExposedMemory(const Communicator& comm, std::int64_t bytes);
  /// Aligned to 64 bytes.
  void* data() const;

  /// Only for the implementation of src/comm.
  struct Body;
  const Body& body() const { return *body_; }

 private:
  std::shared_ptr<Body> body_;
};

/// A block of one chunk of an exchange.
struct ChunkedBlock {
  int chunk = 0;
  Block block;
};

/// An exchange in which each rank puts its blocks into the memory that its peers expose. Prepared
/// once, executed many times without allocation.
///
/// Uses        MPI_Put and MPI_Win_flush. Before the puts, each receiver sends its senders a
///             message of one byte, and after them each sender sends one to its receivers. So only
///             ranks with a block in common wait for each other. MPI_Win_post and MPI_Win_start
///             would do the same, but MPICH counts the posts of all ranks, also those for a later
///             exchange. A block above the count limit or 1 GiB is put in parts.
/// Memory      blocks are read from any buffer, and arrive in `memory`. Only one exchange at a time
///             may use `memory`.
/// Collective  construction, over `comm`; not thread-safe on one object. An execution is start()
///             for each chunk in order, then finish(). Destruction is local, at any time.
/// Errors      as PackedAllToAll; also Error(internal) if a rank puts a block to itself.
class Puts {
 public:
  /// `send` and `recv` are in the order of chunks. The offsets of `recv` are positions in `memory`.
  /// tag : of the messages of one byte; must differ between concurrent exchanges.
  Puts(const Communicator& comm, ExposedMemory memory, int chunks,
       std::span<const ChunkedBlock> send, std::span<const ChunkedBlock> recv,
       std::int64_t element_bytes, int tag = 0);
  /// Puts a chunk. The first call waits until the receivers expose their memory.
  void start(int chunk, const void* send) const;
  /// Returns when all blocks of this rank have been put, and all blocks for this rank have arrived.
  void finish() const;
  MessageTraffic traffic() const;

 private:
  struct Body;
  std::shared_ptr<Body> body_;
};

}  // namespace weft::comm
