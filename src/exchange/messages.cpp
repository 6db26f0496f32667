#include "exchange/methods.hpp"
#include "exchange/own_blocks.hpp"
#include "plan/schedule.hpp"

namespace weft::exchange {
namespace {

/// Whom a rank sends to and receives from in one step of its schedule; itself: idle.
struct Partners {
  int to = 0;
  int from = 0;
};

std::vector<Partners> partners(Schedule schedule, int rank, int ranks) {
  std::vector<Partners> found;
  if (schedule == Schedule::pairwise) {
    for (std::int64_t round = 0; round < pairwise_rounds(ranks); ++round) {
      const int partner = static_cast<int>(pairwise_partner(round, rank, ranks));
      found.push_back({partner, partner});
    }
    return found;
  }
  // Scattered messages leave in this order too: then no rank is the first that all send to.
  for (int step = 1; step < ranks; ++step)
    found.push_back({(rank + step) % ranks, (rank - step + ranks) % ranks});
  return found;
}

/// By peer, so that the steps of many ranks do not take the square of their number.
std::vector<comm::StridedBlock> by_peer(const std::vector<WireBlock>& blocks, int chunk,
                                        int ranks) {
  std::vector<comm::StridedBlock> found(static_cast<std::size_t>(ranks), comm::MessageStep{}.send);
  for (const WireBlock& block : blocks)
    if (block.chunk == chunk && !block.own)
      found[static_cast<std::size_t>(block.block.peer)] = block.block;
  return found;
}

std::vector<comm::MessageStep> steps(Schedule schedule, const WireBlocks& blocks, const Side& side,
                                     const Group& group) {
  const int ranks = group.comm.size();
  const auto order = partners(schedule, group.index_of(side.rank), ranks);
  std::vector<comm::MessageStep> found;
  for (int chunk = 0; chunk < side.chunks; ++chunk) {
    const auto send = by_peer(blocks.send, chunk, ranks);
    const auto recv = by_peer(blocks.recv, chunk, ranks);
    for (const Partners& step : order)
      found.push_back({chunk, send[static_cast<std::size_t>(step.to)],
                       recv[static_cast<std::size_t>(step.from)]});
  }
  return found;
}

/// Point-to-point messages in the order of a schedule.
class Messages : public Executor {
 public:
  Messages(comm::Messages messages, OwnBlocks own)
      : messages_(std::move(messages)), own_(std::move(own)) {}

  void start(int chunk, void* send, void* recv) override {
    messages_.start(chunk, send, recv);
    own_.copy(chunk, send, recv);
    flight_.update(!messages_.is_idle());
  }
  void progress() override {
    messages_.progress();
    flight_.update(!messages_.is_idle());
  }
  void wait(int chunk) override {
    messages_.wait(chunk);
    flight_.update(!messages_.is_idle());
  }
  void finish() override {
    messages_.finish();
    flight_.update(false);
  }
  comm::Traffic traffic() const override { return messages_.traffic(); }
  std::int64_t copied_bytes() const override { return own_.bytes(); }

 private:
  comm::Messages messages_;
  OwnBlocks own_;
};

std::unique_ptr<Executor> make_messages(const Exchange& exchange, const Side& side,
                                        const Group& group, const Means& means,
                                        const WireBlocks& blocks) {
  const comm::MessageOptions options{.at_once = exchange.schedule == Schedule::scattered ? 0 : 1,
                                     .persistent = exchange.requests == Requests::persistent,
                                     .tag = means.tag};
  return std::make_unique<Messages>(
      comm::Messages(group.comm, steps(exchange.schedule, blocks, side, group), side.element_bytes,
                     options),
      OwnBlocks(side, blocks));
}

}  // namespace

std::unique_ptr<Executor> make_messages_packed(const Exchange& exchange, const Side& side,
                                               const Group& group, const Means& means) {
  return make_messages(exchange, side, group, means, packed_wire_blocks(side, group));
}

std::unique_ptr<Executor> make_messages_datatype(const Exchange& exchange, const Side& side,
                                                 const Group& group, const Means& means) {
  Side copied = side;  // plain arrays are read from one buffer
  copied.keep_own_block = false;
  return make_messages(exchange, copied, group, means, plain_wire_blocks(side, group));
}

}  // namespace weft::exchange
