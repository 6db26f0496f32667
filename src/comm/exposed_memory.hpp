#pragma once

#include <cstdint>
#include <memory>
#include <span>

#include "comm/exchanges.hpp"

namespace weft::comm {

/// Memory of this rank in which the other ranks of a group put blocks: a window that MPI allocates.
///
/// Memory      Destruction is local and safe at any time. The window is freed when all ranks have
///             dropped it and the next one is made, or with the communicator.
/// Collective  construction, over `comm`; `bytes` may differ between ranks and be 0.
/// Errors      the same on all ranks: Error(out_of_memory); Error(mpi_failure) where MPI makes no
///             window.
class ExposedMemory {
 public:
  ExposedMemory() = default;
  ExposedMemory(const Communicator& comm, std::int64_t bytes);
  /// Aligned to 64 bytes.
  void* data() const;

  /// For the implementation of comm.
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
/// Uses        MPI_Put, between MPI_Win_post and MPI_Win_wait of the receivers, MPI_Win_start and
///             MPI_Win_complete of the senders. Only ranks with a block in common wait for each
///             other. A block above the count limit is put in parts.
/// Memory      blocks leave any buffer, and arrive in `memory`. One exchange at a time uses it.
/// Collective  construction, over `comm`; not thread-safe on one object. An execution is start()
///             for each chunk in order, then finish(). Destruction is local, at any time.
/// Errors      as PackedAllToAll; also Error(internal) if a rank puts a block to itself.
class Puts {
 public:
  /// `send`, `recv`: in the order of chunks; the offsets of `recv` are in `memory`.
  Puts(const Communicator& comm, ExposedMemory memory, int chunks,
       std::span<const ChunkedBlock> send, std::span<const ChunkedBlock> recv,
       std::int64_t element_bytes);
  /// Puts a chunk. The first one waits until the receivers expose their memory.
  void start(int chunk, const void* send) const;
  /// Returns when all blocks have left this rank and have arrived at it.
  void finish() const;
  MessageTraffic traffic() const;

 private:
  struct Body;
  std::shared_ptr<Body> body_;
};

}  // namespace weft::comm
