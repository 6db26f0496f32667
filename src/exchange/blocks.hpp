#pragma once

#include <vector>

#include "exchange/exchange.hpp"
#include "exchange/group.hpp"
#include "layout/overlap.hpp"

namespace weft::exchange {

/// The part of one chunk that two ranks share.
struct ChunkBlock {
  int chunk = 0;
  Overlap overlap;
};

/// The blocks that a rank sends or receives, in the order of chunks and, in each chunk, of ranks.
/// They include its own blocks. Chunks are those of the sender.
std::vector<ChunkBlock> send_blocks(const ExchangeEndpoint& side);
std::vector<ChunkBlock> recv_blocks(const ExchangeEndpoint& side);

/// Returns the bytes of this rank's box after an exchange that other ranks, from rank `first` up to
/// `end`, had in theirs before it.
std::int64_t bytes_from_ranks(const ExchangeEndpoint& side, std::int64_t first, std::int64_t end);

/// A block of a packed exchange: dense, at an offset of a buffer, in elements.
struct PackedBlock {
  int chunk = 0;
  Overlap overlap;
  std::int64_t offset = 0;
};

/// The blocks of one rank, one after the other.
struct PackedBlocks {
  std::vector<PackedBlock> send;
  std::vector<PackedBlock> recv;
  std::int64_t send_elements = 0;
  std::int64_t recv_elements = 0;
};
PackedBlocks packed_blocks(const ExchangeEndpoint& side);

/// Returns the places of blocks that one stage writes and the next one reads, without a pass for
/// packing.
BufferNeeds packed_ends(const ExchangeEndpoint& side);

/// Returns the places of two plain local arrays in C order, between which MPI moves strided boxes.
BufferNeeds plain_ends(const ExchangeEndpoint& side);

/// A block in the form that src/comm exchanges. The peer is a rank of the group.
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
