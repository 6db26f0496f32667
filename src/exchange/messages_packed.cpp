#include "exchange/packed.hpp"
#include "plan/schedule.hpp"

namespace weft::exchange {
namespace {

using Round = comm::PairwiseMessages::Round;

/// One rank's rounds: partner after partner by the circle method, without those that are empty.
std::vector<Round> rounds(const Side& side, const Group& group, const PackedBlocks& blocks) {
  const int size = group.comm.size();
  std::vector<Round> by_peer(size);
  for (const PackedBlock& block : blocks.send) {
    Round& round = by_peer[group.index_of(block.overlap.peer)];
    round.send_offset = block.offset;
    round.send_count = block.overlap.box.volume();
  }
  for (const PackedBlock& block : blocks.recv) {
    Round& round = by_peer[group.index_of(block.overlap.peer)];
    round.recv_offset = block.offset;
    round.recv_count = block.overlap.box.volume();
  }
  const int me = group.index_of(side.rank);
  std::vector<Round> found;
  for (std::int64_t t = 0; t < pairwise_rounds(size); ++t) {
    const int peer = static_cast<int>(pairwise_partner(t, me, size));
    Round round = by_peer[peer];
    round.peer = peer;
    if (peer != me && (round.send_count > 0 || round.recv_count > 0)) found.push_back(round);
  }
  return found;
}

/// One message each way for each pair of ranks, every round a perfect matching.
class MessagesPacked : public Executor {
 public:
  MessagesPacked(const Side& side, const Group& group, const PackedBlocks& blocks)
      : own_(side, blocks),
        messages_(group.comm, rounds(side, group, blocks), side.element_bytes) {}

  void execute(void* send, void* recv) const override {
    own_.copy(send, recv);
    messages_.execute(send, recv);
  }
  comm::Traffic traffic() const override { return messages_.traffic(); }
  std::int64_t copied_bytes() const override { return own_.bytes(); }

 private:
  OwnBlock own_;
  comm::PairwiseMessages messages_;
};

}  // namespace

std::unique_ptr<Executor> make_messages_packed(const Side& side, const Group& group, const Means&) {
  return std::make_unique<MessagesPacked>(side, group, packed_blocks(side));
}

}  // namespace weft::exchange
