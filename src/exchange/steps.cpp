#include "exchange/steps.hpp"

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

}  // namespace

std::vector<comm::MessageStep> message_steps(Schedule schedule, const WireBlocks& blocks,
                                             int chunks, int rank, int ranks) {
  const auto order = partners(schedule, rank, ranks);
  std::vector<comm::MessageStep> found;
  for (int chunk = 0; chunk < chunks; ++chunk) {
    const auto send = by_peer(blocks.send, chunk, ranks);
    const auto recv = by_peer(blocks.recv, chunk, ranks);
    for (const Partners& step : order)
      found.push_back({chunk, send[static_cast<std::size_t>(step.to)],
                       recv[static_cast<std::size_t>(step.from)]});
  }
  return found;
}

comm::MessageOptions message_options(const Exchange& exchange, const Means& means) {
  return {.at_once = exchange.schedule == Schedule::scattered ? 0 : 1,
          .persistent = exchange.requests == Requests::persistent,
          .in_pieces = exchange.wire_form == WireForm::packed,
          .tag = means.tag};
}

}  // namespace weft::exchange
