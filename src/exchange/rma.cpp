#include "exchange/methods.hpp"
#include "exchange/own_blocks.hpp"

namespace weft::exchange {
namespace {

/// Each rank puts its blocks into the receive buffers of the others.
class Rma : public Executor {
 public:
  Rma(comm::Puts puts, OwnBlocks own) : puts_(std::move(puts)), own_(std::move(own)) {}

  void start(int chunk, void* send, void* recv) override {
    flight_.update(true);
    puts_.start(chunk, send);
    own_.copy(chunk, send, recv);
  }
  void finish() override {
    puts_.finish();
    flight_.update(false);
  }
  comm::MessageTraffic traffic() const override { return puts_.traffic(); }
  std::int64_t copied_bytes() const override { return own_.bytes(); }

 private:
  comm::Puts puts_;
  OwnBlocks own_;
};

/// Returns the blocks without the own ones.
std::vector<comm::ChunkedBlock> blocks_of_others(const std::vector<WireBlock>& blocks) {
  std::vector<comm::ChunkedBlock> found;
  for (const WireBlock& block : blocks)
    if (!block.own)
      found.push_back(
          {block.chunk, {block.block.peer, block.block.offset, block.block.extents[0]}});
  return found;
}

}  // namespace

std::unique_ptr<Executor> make_rma(const Exchange&, const ExchangeEndpoint& side,
                                   const Group& group, const ExchangeResources& resources) {
  const WireBlocks blocks = packed_wire_blocks(side, group);
  const auto number = static_cast<std::size_t>(side.recv_buffer - resources.first_exposed);
  return std::make_unique<Rma>(
      comm::Puts(group.comm, resources.exposed[number], side.chunks, blocks_of_others(blocks.send),
                 blocks_of_others(blocks.recv), side.element_bytes, resources.tag),
      OwnBlocks(side, blocks));
}

}  // namespace weft::exchange
