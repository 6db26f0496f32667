#include "exchange/packed.hpp"

#include <algorithm>
#include <cstring>

namespace weft::exchange {
namespace {

constexpr std::int64_t block_alignment_bytes = 64;

std::int64_t place_blocks(std::vector<Overlap> overlaps, std::int64_t element_bytes,
                          std::vector<PackedBlock>& blocks) {
  const std::int64_t step = std::max<std::int64_t>(1, block_alignment_bytes / element_bytes);
  std::int64_t offset = 0;
  for (Overlap& overlap : overlaps) {
    const std::int64_t count = overlap.box.volume();
    blocks.push_back({std::move(overlap), offset});
    offset += (count + step - 1) / step * step;
  }
  return offset;
}

std::vector<int> c_order(int dims) {
  std::vector<int> order(dims);
  for (int axis = 0; axis < dims; ++axis) order[axis] = axis;
  return order;
}

kernel::Piece piece_of(const PackedBlock& block, int buffer) {
  const Box& box = block.overlap.box;
  return {box, buffer, block.offset, dense_strides(box.shape(), c_order(box.dims()))};
}

kernel::Place plain_place(const Layout& layout, const Side& side, int buffer) {
  const Box box = layout.box(side.rank);
  kernel::Place place{{}, side.element_bytes};
  if (!box.empty())
    place.pieces.push_back({box, buffer, 0, dense_strides(box.shape(), c_order(box.dims()))});
  return place;
}

}  // namespace

PackedBlocks packed_blocks(const Side& side) {
  PackedBlocks blocks;
  blocks.send_elements =
      place_blocks(overlaps(side.from, side.rank, side.to), side.element_bytes, blocks.send);
  blocks.recv_elements =
      place_blocks(overlaps(side.to, side.rank, side.from), side.element_bytes, blocks.recv);
  return blocks;
}

Ends packed_ends(const Side& side) {
  const PackedBlocks blocks = packed_blocks(side);
  Ends ends{{{}, side.element_bytes},
            {{}, side.element_bytes},
            blocks.send_elements,
            blocks.recv_elements};
  for (const PackedBlock& block : blocks.send)
    ends.outlet.pieces.push_back(piece_of(block, side.send_buffer));
  for (const PackedBlock& block : blocks.recv) {
    const bool own = block.overlap.peer == side.rank && side.keep_own_block;
    if (!own) ends.inlet.pieces.push_back(piece_of(block, side.recv_buffer));
  }
  if (side.keep_own_block)
    for (const PackedBlock& block : blocks.send)
      if (block.overlap.peer == side.rank)
        ends.inlet.pieces.push_back(piece_of(block, side.send_buffer));
  return ends;
}

Ends plain_ends(const Side& side) {
  return {plain_place(side.from, side, side.send_buffer),
          plain_place(side.to, side, side.recv_buffer), side.from.local_volume(side.rank),
          side.to.local_volume(side.rank)};
}

OwnBlock::OwnBlock(const Side& side, const PackedBlocks& blocks) {
  if (side.keep_own_block) return;
  for (const PackedBlock& block : blocks.send)
    if (block.overlap.peer == side.rank) {
      send_offset_bytes_ = block.offset * side.element_bytes;
      bytes_ = block.overlap.box.volume() * side.element_bytes;
    }
  for (const PackedBlock& block : blocks.recv)
    if (block.overlap.peer == side.rank) recv_offset_bytes_ = block.offset * side.element_bytes;
}

void OwnBlock::copy(const void* send, void* recv) const {
  if (bytes_ > 0)
    std::memcpy(static_cast<char*>(recv) + recv_offset_bytes_,
                static_cast<const char*>(send) + send_offset_bytes_, bytes_);
}

}  // namespace weft::exchange
