#include "exchange/own_blocks.hpp"

namespace weft::exchange {
namespace {

constexpr int from_buffer = 0;
constexpr int to_buffer = 1;

/// Returns the blocks of one chunk that stay on this rank, as separate boxes in order.
std::vector<comm::StridedBlock> own(const std::vector<WireBlock>& blocks, int chunk) {
  std::vector<comm::StridedBlock> found;
  for (const WireBlock& block : blocks)
    if (block.own && block.chunk == chunk) found.push_back(block.block);
  return found;
}

kernel::Piece piece(const comm::StridedBlock& block, int buffer) {
  return {Box::whole(block.extents), buffer, block.offset, block.strides};
}

}  // namespace

OwnBlocks::OwnBlocks(const ExchangeEndpoint& side, const WireBlocks& blocks) {
  if (side.keep_own_block) return;
  for (int chunk = 0; chunk < side.chunks; ++chunk) {
    // A rank has at most one block with itself, so one copy per chunk is enough.
    const auto from = own(blocks.send, chunk);
    const auto to = own(blocks.recv, chunk);
    kernel::Place inlet{{}, side.element_bytes};
    kernel::Place outlet{{}, side.element_bytes};
    Box box;
    if (!from.empty()) {
      inlet.pieces.push_back(piece(from[0], from_buffer));
      outlet.pieces.push_back(piece(to.at(0), to_buffer));
      box = inlet.pieces[0].box;
      bytes_ += box.volume() * side.element_bytes;
    } else {
      box = Box::whole({0});
    }
    copies_.emplace_back(box, std::vector<kernel::AxisTransform>{}, inlet, outlet,
                         kernel::LocalOptions{});
  }
}

void OwnBlocks::copy(int chunk, void* send, void* recv) const {
  if (bytes_ == 0) return;
  void* buffers[] = {send, recv};
  copies_[static_cast<std::size_t>(chunk)].execute(buffers, kernel::Scratch({}, nullptr));
}

}  // namespace weft::exchange
