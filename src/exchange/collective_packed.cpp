#include "exchange/packed.hpp"

namespace weft::exchange {
namespace {

/// MPI_Alltoallv of the blocks; this rank's own block does not go through MPI.
class CollectivePacked : public Executor {
 public:
  CollectivePacked(const Side& side, const Group& group, const PackedBlocks& blocks)
      : own_(side, blocks),
        all_to_all_(group.comm, others(side, group, blocks.send), others(side, group, blocks.recv),
                    side.element_bytes) {}

  void execute(void* send, void* recv) const override {
    own_.copy(send, recv);
    all_to_all_.execute(send, recv);
  }
  comm::Traffic traffic() const override { return all_to_all_.traffic(); }
  std::int64_t copied_bytes() const override { return own_.bytes(); }

 private:
  static std::vector<comm::Block> others(const Side& side, const Group& group,
                                         const std::vector<PackedBlock>& blocks) {
    std::vector<comm::Block> found;
    for (const PackedBlock& block : blocks)
      if (block.overlap.peer != side.rank)
        found.push_back(
            {group.index_of(block.overlap.peer), block.offset, block.overlap.box.volume()});
    return found;
  }

  OwnBlock own_;
  comm::PackedAllToAll all_to_all_;
};

}  // namespace

std::unique_ptr<Executor> make_collective_packed(const Side& side, const Group& group,
                                                 const Means&) {
  return std::make_unique<CollectivePacked>(side, group, packed_blocks(side));
}

}  // namespace weft::exchange
