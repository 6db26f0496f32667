#pragma once

#include <vector>

#include "exchange/exchange.hpp"
#include "exchange/group.hpp"
#include "layout/overlap.hpp"

namespace weft::exchange {

/// A block of a packed exchange: what two ranks share, lying densely at an offset of a buffer.
struct PackedBlock {
  Overlap overlap;
  std::int64_t offset = 0;  ///< in elements
};

/// The blocks of one rank, in rank order; its own block, if any, is among them.
/// They start at multiples of 64 bytes, so that the rows of a tile do.
struct PackedBlocks {
  std::vector<PackedBlock> send;
  std::vector<PackedBlock> recv;
  std::int64_t send_elements = 0;
  std::int64_t recv_elements = 0;
};
PackedBlocks packed_blocks(const Side& side);

/// Places for blocks that one stage scatters into and the next gathers from: no pass of packing.
Ends packed_ends(const Side& side);

/// Places for plain local arrays on both sides.
Ends plain_ends(const Side& side);

/// Copies this rank's own block from the send to the receive buffer, unless it is read where it is.
class OwnBlock {
 public:
  OwnBlock(const Side& side, const PackedBlocks& blocks);
  void copy(const void* send, void* recv) const;
  std::int64_t bytes() const { return bytes_; }

 private:
  std::int64_t send_offset_bytes_ = 0;
  std::int64_t recv_offset_bytes_ = 0;
  std::int64_t bytes_ = 0;
};

std::unique_ptr<Executor> make_collective_packed(const Side& side, const Group& group,
                                                 const Means&);
std::unique_ptr<Executor> make_collective_datatype(const Side& side, const Group& group,
                                                   const Means&);
std::unique_ptr<Executor> make_messages_packed(const Side& side, const Group& group, const Means&);

}  // namespace weft::exchange
