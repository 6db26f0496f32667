#include "exchange/blocks.hpp"

#include <algorithm>

#include "plan/chunks.hpp"

namespace weft::exchange {
namespace {

/// Returns the part of an overlap that its sender sends in one chunk; it may be empty.
Box chunk_of(Box box, const Box& of_sender, int chunk, const ExchangeEndpoint& side) {
  if (side.chunks == 1) return box;
  const int axis = side.chunk_axis;
  const Range range =
      chunk_range({of_sender.lower[axis], of_sender.upper[axis]}, chunk, side.chunks);
  box.lower[axis] = std::max(box.lower[axis], range.lo);
  box.upper[axis] = std::max(box.lower[axis], std::min(box.upper[axis], range.hi));
  return box;
}

/// Places blocks one after the other, without gaps. Returns the end of the last block.
std::int64_t place_blocks(std::vector<ChunkBlock> found, std::vector<PackedBlock>& blocks) {
  std::int64_t offset = 0;
  for (ChunkBlock& block : found) {
    const std::int64_t count = block.overlap.box.volume();
    blocks.push_back({block.chunk, std::move(block.overlap), offset});
    offset += count;
  }
  return offset;
}

std::vector<int> c_order(int dims) {
  std::vector<int> order(dims);
  for (int axis = 0; axis < dims; ++axis) order[axis] = axis;
  return order;
}

Shape c_strides(const Box& box) { return dense_strides(box.shape(), c_order(box.dims())); }

kernel::Piece piece_of(const PackedBlock& block, int buffer) {
  const Box& box = block.overlap.box;
  return {box, buffer, block.offset, c_strides(box)};
}

/// Returns `box` as a part of the array that holds the box `whole` in C order.
kernel::Piece part_of(const Box& box, const Box& whole, int buffer) {
  kernel::Piece piece{box, buffer, 0, c_strides(whole)};
  for (int axis = 0; axis < box.dims(); ++axis)
    piece.offset += (box.lower[axis] - whole.lower[axis]) * piece.strides[axis];
  return piece;
}

kernel::Place plain_place(const Layout& layout, const ExchangeEndpoint& side, int buffer) {
  const Box box = layout.box(side.rank);
  kernel::Place place{{}, side.element_bytes};
  if (!box.empty()) place.pieces.push_back(part_of(box, box, buffer));
  return place;
}

/// Merges all blocks into one piece, if together they are an array of the box `whole` in C order.
/// The later stage may overwrite such an array with its results.
void merge_into_array(const Box& whole, std::vector<kernel::Piece>& pieces) {
  if (pieces.size() < 2) return;
  for (const kernel::Piece& piece : pieces) {
    const kernel::Piece part = part_of(piece.box, whole, pieces[0].buffer);
    if (piece.buffer != part.buffer || piece.offset != part.offset) return;
    for (int axis = 0; axis < whole.dims(); ++axis)
      if (piece.box.extent(axis) > 1 && piece.strides[axis] != part.strides[axis]) return;
  }
  pieces = {part_of(whole, whole, pieces[0].buffer)};
}

comm::StridedBlock strided(const kernel::Piece& piece, int peer) {
  return {peer, piece.offset, piece.box.shape(), piece.strides};
}

WireBlock wire(const PackedBlock& block, const ExchangeEndpoint& side, const Group& group) {
  const std::int64_t peer = block.overlap.peer;
  return {block.chunk,
          peer == side.rank,
          {group.index_of(peer), block.offset, {block.overlap.box.volume()}, {1}}};
}

WireBlock wire(const ChunkBlock& block, const Box& whole, const ExchangeEndpoint& side,
               const Group& group) {
  const std::int64_t peer = block.overlap.peer;
  return {block.chunk, peer == side.rank,
          strided(part_of(block.overlap.box, whole, 0), group.index_of(peer))};
}

}  // namespace

std::vector<ChunkBlock> send_blocks(const ExchangeEndpoint& side) {
  const Box mine = side.from.box(side.rank);
  const std::vector<Overlap> found = overlaps(side.from, side.rank, side.to);
  std::vector<ChunkBlock> blocks;
  for (int chunk = 0; chunk < side.chunks; ++chunk)
    for (const Overlap& overlap : found) {
      Box box = chunk_of(overlap.box, mine, chunk, side);
      if (!box.empty()) blocks.push_back({chunk, {overlap.peer, std::move(box)}});
    }
  return blocks;
}

std::vector<ChunkBlock> recv_blocks(const ExchangeEndpoint& side) {
  const std::vector<Overlap> found = overlaps(side.to, side.rank, side.from);
  std::vector<Box> of_senders;
  for (const Overlap& overlap : found) of_senders.push_back(side.from.box(overlap.peer));
  std::vector<ChunkBlock> blocks;
  for (int chunk = 0; chunk < side.chunks; ++chunk)
    for (std::size_t i = 0; i < found.size(); ++i) {
      Box box = chunk_of(found[i].box, of_senders[i], chunk, side);
      if (!box.empty()) blocks.push_back({chunk, {found[i].peer, std::move(box)}});
    }
  return blocks;
}

std::int64_t bytes_from_ranks(const ExchangeEndpoint& side, std::int64_t first, std::int64_t end) {
  std::int64_t elements = 0;
  for (const Overlap& overlap : overlaps(side.to, side.rank, side.from))
    if (overlap.peer != side.rank && overlap.peer >= first && overlap.peer < end)
      elements += overlap.box.volume();
  return elements * side.element_bytes;
}

PackedBlocks packed_blocks(const ExchangeEndpoint& side) {
  PackedBlocks blocks;
  std::vector<ChunkBlock> sent = send_blocks(side);
  const auto is_sent = [&](const ChunkBlock& block) { return block.overlap.peer != side.rank; };
  if (side.own_last) std::stable_partition(sent.begin(), sent.end(), is_sent);
  blocks.send_elements = place_blocks(std::move(sent), blocks.send);
  blocks.recv_elements = place_blocks(recv_blocks(side), blocks.recv);
  return blocks;
}

BufferNeeds packed_needs(const ExchangeEndpoint& side) {
  const PackedBlocks blocks = packed_blocks(side);
  BufferNeeds needs{{{}, side.element_bytes, side.narrow},
                    {{}, side.element_bytes, side.narrow},
                    blocks.send_elements,
                    blocks.recv_elements};
  const bool reads_own_elsewhere =
      side.keep_own_block || (side.own_buffer >= 0 && side.own_buffer != side.recv_buffer);
  kernel::Piece own_arrived;
  for (const PackedBlock& block : blocks.recv) {
    const bool is_own = block.overlap.peer == side.rank;
    if (is_own) own_arrived = piece_of(block, side.recv_buffer);
    if (!is_own || !reads_own_elsewhere)
      needs.inlet.pieces.push_back(piece_of(block, side.recv_buffer));
  }
  for (const PackedBlock& block : blocks.send) {
    const bool is_own = block.overlap.peer == side.rank;
    kernel::Piece piece = piece_of(block, side.send_buffer);
    if (is_own && side.own_last) needs.own_elements = blocks.send_elements - block.offset;
    if (is_own && side.own_buffer >= 0) {
      piece.buffer = side.own_buffer;
      piece.offset = 0;
      if (side.own_buffer == side.recv_buffer) piece = own_arrived;
      needs.send_elements = block.offset;
    }
    if (is_own && reads_own_elsewhere) needs.inlet.pieces.push_back(piece);
    needs.outlet.pieces.push_back(std::move(piece));
  }
  merge_into_array(side.to.box(side.rank), needs.inlet.pieces);
  return needs;
}

BufferNeeds plain_needs(const ExchangeEndpoint& side) {
  return {plain_place(side.from, side, side.send_buffer),
          plain_place(side.to, side, side.recv_buffer), side.from.local_volume(side.rank),
          side.to.local_volume(side.rank)};
}

WireBlocks packed_wire_blocks(const ExchangeEndpoint& side, const Group& group) {
  const PackedBlocks blocks = packed_blocks(side);
  WireBlocks found;
  for (const PackedBlock& block : blocks.send) found.send.push_back(wire(block, side, group));
  for (const PackedBlock& block : blocks.recv) found.recv.push_back(wire(block, side, group));
  return found;
}

WireBlocks plain_wire_blocks(const ExchangeEndpoint& side, const Group& group) {
  WireBlocks found;
  for (const ChunkBlock& block : send_blocks(side))
    found.send.push_back(wire(block, side.from.box(side.rank), side, group));
  for (const ChunkBlock& block : recv_blocks(side))
    found.recv.push_back(wire(block, side.to.box(side.rank), side, group));
  return found;
}

}  // namespace weft::exchange
