#pragma once

#include <vector>

#include "exchange/exchange.hpp"
#include "exchange/group.hpp"
#include "layout/overlap.hpp"

namespace weft::exchange {

/// The elements of one chunk that one rank sends to another.
struct ChunkBlock {
  int chunk = 0;
  Overlap overlap;
};

/// Return the blocks that a rank sends and receives, ordered by chunk, then by the other rank. They
/// include its own blocks, which stay on the rank. The chunks divide the box of the sender.
std::vector<ChunkBlock> send_blocks(const ExchangeEndpoint& side);
std::vector<ChunkBlock> recv_blocks(const ExchangeEndpoint& side);

/// Returns the bytes that this rank gets from other ranks among `first` to `end` - 1.
std::int64_t bytes_from_ranks(const ExchangeEndpoint& side, std::int64_t first, std::int64_t end);

/// A block of a packed exchange. A block is contiguous in its buffer.
struct PackedBlock {
  int chunk = 0;
  Overlap overlap;
  std::int64_t offset = 0;  ///< in the buffer, in elements
};

/// The blocks of one rank, one after the other.
struct PackedBlocks {
  std::vector<PackedBlock> send;
  std::vector<PackedBlock> recv;
  std::int64_t send_elements = 0;
  std::int64_t recv_elements = 0;
};
PackedBlocks packed_blocks(const ExchangeEndpoint& side);

/// Returns the places of packed blocks. The earlier stage writes the blocks and the later stage
/// reads them, so packing needs no pass of its own.
BufferNeeds packed_needs(const ExchangeEndpoint& side);

/// Returns the places of two plain local arrays in C order. MPI moves strided boxes from one to the
/// other.
BufferNeeds plain_needs(const ExchangeEndpoint& side);

/// A block in the form that src/comm exchanges. Its peer is numbered in the group.
struct WireBlock {
  int chunk = 0;
  bool own = false;
  comm::StridedBlock block;
};
struct WireBlocks {
  std::vector<WireBlock> send;
  std::vector<WireBlock> recv;
};
WireBlocks packed_wire_blocks(const ExchangeEndpoint& side, const Group& group);
WireBlocks plain_wire_blocks(const ExchangeEndpoint& side, const Group& group);

}  // namespace weft::exchange
