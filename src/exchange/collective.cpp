#include "exchange/methods.hpp"
#include "exchange/own_blocks.hpp"

namespace weft::exchange {
namespace {

/// One collective call for each chunk. A single call is blocking, unless the exchange overlaps with
/// other work.
template <class Call>
class Collective : public Executor {
 public:
  Collective(std::vector<Call> calls, OwnBlocks own)
      : calls_(std::move(calls)), own_(std::move(own)) {}

  void start(int chunk, void* send, void* recv) override {
    own_.copy(chunk, send, recv);
    send_ = send;
    recv_ = recv;
    if (is_blocking()) return;  // finish() makes the call
    calls_[static_cast<std::size_t>(chunk)].start(send, recv);
    started_ = chunk + 1;
    flight_.update(true);
  }
  void progress() override {
    bool done = true;
    for (int chunk = 0; chunk < started_; ++chunk)
      done = calls_[static_cast<std::size_t>(chunk)].test() && done;
    flight_.update(!done);
  }
  void wait(int chunk) override {
    if (is_blocking()) return finish();
    calls_[static_cast<std::size_t>(chunk)].wait();
    progress();
  }
  void finish() override {
    flight_.update(true);
    if (is_blocking())
      calls_[0].execute(send_, recv_);
    else
      for (const Call& call : calls_) call.wait();
    started_ = 0;
    flight_.update(false);
  }
  comm::MessageTraffic traffic() const override {
    comm::MessageTraffic total;
    for (const Call& call : calls_) {
      total.bytes += call.traffic().bytes;
      total.messages += call.traffic().messages;
    }
    return total;
  }
  std::int64_t copied_bytes() const override { return own_.bytes(); }

 private:
  bool is_blocking() const { return calls_.size() == 1 && !overlaps_; }

  std::vector<Call> calls_;  ///< by chunk
  OwnBlocks own_;
  void* send_ = nullptr;
  void* recv_ = nullptr;
  int started_ = 0;
};

std::vector<comm::Block> rows(const std::vector<WireBlock>& blocks, int chunk, bool with_own) {
  std::vector<comm::Block> found;
  for (const WireBlock& block : blocks)
    if (block.chunk == chunk && (with_own || !block.own))
      found.push_back({block.block.peer, block.block.offset, block.block.extents[0]});
  return found;
}

/// Makes a packed call. Only MPI_Alltoall includes this rank's own block.
comm::PackedAllToAll packed_call(const WireBlocks& blocks, int chunk, const ExchangeEndpoint& side,
                                 const Group& group) {
  auto call = [&](bool with_own) {
    return comm::PackedAllToAll(group.comm, rows(blocks.send, chunk, with_own),
                                rows(blocks.recv, chunk, with_own), side.element_bytes);
  };
  if (group.comm.size() > 2) {
    comm::PackedAllToAll whole = call(true);
    if (std::string(whole.form()) == "alltoall") return whole;
  }
  return call(false);
}

std::vector<comm::StridedBlock> boxes(const std::vector<WireBlock>& blocks, int chunk) {
  std::vector<comm::StridedBlock> found;
  for (const WireBlock& block : blocks)
    if (block.chunk == chunk) found.push_back(block.block);
  return found;
}

}  // namespace

std::unique_ptr<Executor> make_collective_packed(const Exchange&, const ExchangeEndpoint& side,
                                                 const Group& group, const ExchangeResources&) {
  const WireBlocks blocks = packed_wire_blocks(side, group);
  std::vector<comm::PackedAllToAll> calls;
  for (int chunk = 0; chunk < side.chunks; ++chunk)
    calls.push_back(packed_call(blocks, chunk, side, group));
  return std::make_unique<Collective<comm::PackedAllToAll>>(std::move(calls),
                                                            OwnBlocks(side, blocks));
}

/// Weft packs nothing, and MPI moves this rank's own block too. The method is slow if MPI packs
/// slowly. It is so simple that tests compare the other methods with it.
std::unique_ptr<Executor> make_collective_datatype(const Exchange&, const ExchangeEndpoint& side,
                                                   const Group& group, const ExchangeResources&) {
  const WireBlocks blocks = plain_wire_blocks(side, group);
  std::vector<comm::StridedAllToAll> calls;
  for (int chunk = 0; chunk < side.chunks; ++chunk)
    calls.emplace_back(group.comm, boxes(blocks.send, chunk), boxes(blocks.recv, chunk),
                       side.element_bytes);
  return std::make_unique<Collective<comm::StridedAllToAll>>(std::move(calls), OwnBlocks());
}

}  // namespace weft::exchange
