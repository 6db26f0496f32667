#include "exchange/steps.hpp"

#include <algorithm>

#include "plan/schedule.hpp"

namespace weft::exchange {
namespace {

/// The ranks to which a rank sends and from which it receives in one step of its schedule. If a
/// rank is its own partner, it is idle.
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
  // Scattered messages leave in this order too. Otherwise all ranks would send to the same rank
  // first.
  for (int step = 1; step < ranks; ++step)
    found.push_back({(rank + step) % ranks, (rank - step + ranks) % ranks});
  return found;
}

/// Returns the blocks of a chunk, indexed by peer. Searching the block of each step would take a
/// time quadratic in the number of ranks.
std::vector<comm::StridedBlock> by_peer(const std::vector<WireBlock>& blocks, int chunk,
                                        int ranks) {
  std::vector<comm::StridedBlock> found(static_cast<std::size_t>(ranks), comm::MessageStep{}.send);
  for (const WireBlock& block : blocks)
    if (block.chunk == chunk && !block.own)
      found[static_cast<std::size_t>(block.block.peer)] = block.block;
  return found;
}

/// Returns the largest number of elements of a piece.
std::int64_t piece_elements(const Exchange& exchange, const ExchangeEndpoint& side) {
  if (exchange.piece_bytes == 0) return INT64_MAX;
  return std::max<std::int64_t>(1, exchange.piece_bytes / side.element_bytes);
}

/// Returns the number of pieces of a block. Sender and receiver compute the same number.
std::int64_t pieces_of(const comm::StridedBlock& block, std::int64_t most_elements) {
  const std::int64_t elements = comm::volume_of(block);
  return elements / most_elements + (elements % most_elements > 0 ? 1 : 0);
}

/// Cuts a contiguous block into `pieces` pieces of about equal size, and returns piece `index`.
/// After the last piece it is empty.
comm::StridedBlock piece_of(const comm::StridedBlock& block, std::int64_t pieces,
                            std::int64_t index) {
  comm::StridedBlock piece = block;
  const Range range =
      index < pieces ? balanced_part(comm::volume_of(block), index, pieces) : Range{0, 0};
  piece.offset += range.lo;
  piece.extents = {range.hi - range.lo};
  piece.strides = {1};
  return piece;
}

void add_in_pieces(const comm::MessageStep& step, std::int64_t most_elements,
                   std::vector<comm::MessageStep>& steps) {
  const std::int64_t sent = pieces_of(step.send, most_elements);
  const std::int64_t received = pieces_of(step.recv, most_elements);
  if (std::max(sent, received) <= 1) {
    steps.push_back(step);
    return;
  }
  for (std::int64_t i = 0; i < std::max(sent, received); ++i)
    steps.push_back({step.chunk, piece_of(step.send, sent, i), piece_of(step.recv, received, i)});
}

}  // namespace

std::vector<comm::MessageStep> message_steps(const Exchange& exchange, const WireBlocks& blocks,
                                             const ExchangeEndpoint& side, int rank, int ranks) {
  const auto order = partners(exchange.schedule, rank, ranks);
  const std::int64_t most_elements = piece_elements(exchange, side);
  std::vector<comm::MessageStep> found;
  for (int chunk = 0; chunk < side.chunks; ++chunk) {
    const auto send = by_peer(blocks.send, chunk, ranks);
    const auto recv = by_peer(blocks.recv, chunk, ranks);
    for (const Partners& step : order)
      add_in_pieces({chunk, send[static_cast<std::size_t>(step.to)],
                     recv[static_cast<std::size_t>(step.from)]},
                    most_elements, found);
  }
  return found;
}

comm::MessageOptions message_options(const Exchange& exchange, const ExchangeResources& resources) {
  return {.at_once = exchange.schedule == Schedule::scattered ? 0 : 1,
          .persistent = exchange.requests == Requests::persistent,
          .in_pieces = exchange.wire_form == WireForm::packed,
          .tag = resources.tag};
}

}  // namespace weft::exchange
