#include "exchange/own_blocks.hpp"

namespace weft::exchange {
namespace {

// Numbers of the buffers in a copy.
constexpr int send_number = 0;
constexpr int recv_number = 1;

/// Returns the blocks of one chunk that stay on this rank.
std::vector<comm::StridedBlock> own_blocks(const std::vector<WireBlock>& blocks, int chunk) {
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
    // A chunk has at most one own block, so one copy is enough. If it has none, an empty copy keeps
    // the place: copies_ is indexed by chunk.
    const auto from = own_blocks(blocks.send, chunk);
    const auto to = own_blocks(blocks.recv, chunk);
    kernel::Place inlet{{}, side.element_bytes};
    kernel::Place outlet{{}, side.element_bytes};
    Box box;
    if (!from.empty()) {
      inlet.pieces.push_back(piece(from[0], send_number));
      outlet.pieces.push_back(piece(to.at(0), recv_number));
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
