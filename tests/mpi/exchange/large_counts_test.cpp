// More elements than an int can count. Exchanges of many gigabytes are planned and made, but not
// executed: their sizes, places and messages are checked. Exchanges of small arrays are executed
// with a lower limit on counts. So their messages are cut as those of large arrays would be.
#include <map>

#include "comm/environment.hpp"
#include "comm/from_mpi.hpp"
#include "exchange/methods.hpp"
#include "exchange/steps.hpp"
#include "mpi/support/both_ways.hpp"

namespace weft::test_support {
namespace {

constexpr std::int64_t many = 3 * (std::int64_t{1} << 31) + 5;

comm::StridedBlock row(int peer, std::int64_t offset, std::int64_t count) {
  return {peer, offset, {count}, {1}};
}

/// One call of MPI moves at most 1 GiB, even if adjacent data is longer.
TEST(LargeCounts, MessagesAreCut) {
  const auto comm = comm::communicator_of(world);
  if (comm.size() == 1) GTEST_SKIP() << "one rank sends nothing";
  const int next = (comm.rank() + 1) % comm.size();
  const int previous = (comm.rank() + comm.size() - 1) % comm.size();
  for (const std::int64_t bytes : {1, 8, 16}) {
    const std::vector<comm::MessageStep> steps = {
        {0, row(next, many, many), row(previous, 7, many)}};
    const comm::Messages messages(comm, steps, bytes);
    const std::int64_t most = (std::int64_t{1} << 30) / bytes;
    EXPECT_EQ(messages.bytes_sent(), many * bytes);
    EXPECT_EQ(messages.messages(), (many + most - 1) / most);
  }
}

/// The pieces of a long block follow each other without a gap, as floats or as doubles.
TEST(LargeCounts, PiecesCoverABlock) {
  for (const std::int64_t element_bytes : {8, 16}) {
    exchange::WireBlocks blocks;
    blocks.send.push_back({0, false, row(1, many, many)});
    blocks.recv.push_back({0, false, row(1, 3, 2 * many)});
    exchange::ExchangeEndpoint side;
    side.element_bytes = element_bytes;
    const Exchange pieces{.method = Method::messages,
                          .schedule = Schedule::pairwise,
                          .chunks = 1,
                          .piece_bytes = std::int64_t{5} << 30};
    std::int64_t sent = many;
    std::int64_t received = 3;
    const auto steps = exchange::message_steps(pieces, blocks, side, 0, 2);
    for (const comm::MessageStep& step : steps) {
      if (comm::volume_of(step.send) > 0) {
        EXPECT_EQ(step.send.offset, sent);
      }
      EXPECT_EQ(step.recv.offset, received);
      EXPECT_LE(comm::volume_of(step.recv) * element_bytes, pieces.piece_bytes);
      sent += comm::volume_of(step.send);
      received += comm::volume_of(step.recv);
    }
    EXPECT_EQ(sent, 2 * many);
    EXPECT_EQ(received, 3 + 2 * many);
    EXPECT_GT(steps.size(), 10u);
  }
}

/// Six ranks with blocks of about 2^33 elements. The number of a buffer identifies its rank.
constexpr std::int64_t large_ranks = 6;
constexpr int first_sent = 100;
constexpr int first_received = 200;

exchange::ExchangeEndpoint side_of(std::int64_t rank, std::int64_t ranks_per_node, bool narrow) {
  const Shape shape{large_ranks * 2039, large_ranks * 2053, large_ranks * 2063};
  exchange::ExchangeEndpoint side;
  side.from = Layout::slab(shape, large_ranks, 0);
  side.to = Layout::slab(shape, large_ranks, 1);
  side.rank = rank;
  side.narrow = narrow;
  side.element_bytes = narrow ? 8 : 16;
  side.send_buffer = first_sent + static_cast<int>(rank);
  side.recv_buffer = first_received + static_cast<int>(rank);
  side.ranks_per_node = ranks_per_node;
  side.first_peer_buffer = first_sent;
  side.first_peer_arrival = first_received;
  return side;
}

/// For each buffer of a place: the first element of each piece, and its number of elements.
using Pieces = std::map<int, std::map<std::int64_t, std::int64_t>>;

void add(const kernel::Place& place, Pieces& pieces) {
  for (const kernel::Piece& piece : place.pieces) {
    const auto [at, is_new] = pieces[piece.buffer].emplace(piece.offset, piece.box.volume());
    EXPECT_TRUE(is_new) << "two pieces at " << piece.offset << " of buffer " << piece.buffer;
  }
}

/// Expects that pieces are longer than 2^32 elements, do not overlap, and end within the buffer.
void expect_apart(const Pieces& pieces, const std::map<int, std::int64_t>& sizes) {
  for (const auto& [buffer, found] : pieces) {
    std::int64_t end = 0;
    for (const auto& [offset, count] : found) {
      EXPECT_GE(offset, end) << "buffer " << buffer;
      EXPECT_GT(count, std::int64_t{1} << 32);
      end = offset + count;
    }
    EXPECT_LE(end, sizes.at(buffer)) << "buffer " << buffer;
  }
}

TEST(LargeCounts, BlocksOfNodeAwareExchangesDoNotOverlap) {
  for (const NodeUse nodes : {NodeUse::separate, NodeUse::combined})
    for (const std::int64_t ranks_per_node : {2, 4, 6})
      for (const bool narrow : {false, true}) {
        SCOPED_TRACE(std::string(to_string(nodes)) + ", " + std::to_string(ranks_per_node));
        const Exchange exchange{.method = Method::messages,
                                .wire_form = WireForm::packed,
                                .schedule = Schedule::pairwise,
                                .requests = Requests::ordinary,
                                .chunks = 1,
                                .nodes = nodes};
        Pieces written;
        Pieces read;
        std::map<int, std::int64_t> sizes;
        for (std::int64_t rank = 0; rank < large_ranks; ++rank) {
          const exchange::ExchangeEndpoint side = side_of(rank, ranks_per_node, narrow);
          const exchange::BufferNeeds ends = exchange::buffer_needs(exchange, side);
          sizes[side.send_buffer] = ends.send_elements;
          sizes[side.recv_buffer] = ends.recv_elements;
          add(ends.outlet, written);
          add(ends.inlet, read);
        }
        expect_apart(written, sizes);
        expect_apart(read, sizes);
      }
}

TEST(LargeCounts, NodeAwareMessagesAreCut) {
  const auto comm = comm::communicator_of(world);
  const std::int64_t here = comm.size();
  if (here < 3) GTEST_SKIP() << "needs two nodes";
  const Shape shape{here * 2039, here * 2053, here * 2063};
  exchange::ExchangeEndpoint side = side_of(comm.rank(), 2, true);
  side.from = Layout::slab(shape, here, 0);
  side.to = Layout::slab(shape, here, 1);
  std::int64_t leaving = 0;
  for (std::int64_t from = 0; from < here; ++from)
    for (std::int64_t to = 0; to < here; ++to)
      if (from / 2 != to / 2) leaving += intersect(side.from.box(from), side.to.box(to)).volume();
  comm::HandOver hand_over;
  for (const NodeUse nodes : {NodeUse::separate, NodeUse::combined})
    for (const std::int64_t piece_bytes : {std::int64_t{0}, std::int64_t{1} << 32}) {
      const Exchange exchange{.method = Method::messages,
                              .wire_form = WireForm::packed,
                              .schedule = Schedule::pairwise,
                              .requests = Requests::ordinary,
                              .chunks = 1,
                              .nodes = nodes,
                              .wire = WirePrecision::f32,
                              .piece_bytes = piece_bytes};
      const auto executor = exchange::make_node_aware(exchange, side, {comm, &hand_over, 0});
      const std::int64_t sent = comm.sum(executor->traffic().bytes);
      EXPECT_GE(sent, leaving * 8);
      EXPECT_LT(sent, leaving * 8 + 64 * here * here) << "more than elements and padding";
      EXPECT_GE(comm.sum(executor->traffic().messages), sent >> 30);
    }
}

/// Expects the result of the oracle, MPI_Alltoallw, and more messages than without a limit.
void expect_cut(const Exchange& choices, double tolerance) {
  for (const Kind kind : {Kind::c2c, Kind::r2c}) {
    Problem problem{.shape = {11, 9, 8}, .kinds = kind, .output_choice = OutputChoice::same};
    const auto messages = [](const Results& results) {
      std::int64_t sum = 0;
      for (const StepRecord& step : results.forward_record) sum += step.messages;
      return comm::communicator_of(world).sum(sum);
    };
    const Results expected = run_both(problem, oracle_exchange, false, false);
    const std::int64_t whole = messages(run_both(problem, choices, false, false));
    for (const std::int64_t limit : {1, 5, 64}) {
      SCOPED_TRACE(to_json(problem) + describe(choices) + ", limit " + std::to_string(limit));
      comm::set_count_limit(limit);
      const Results found = run_both(problem, choices, false, limit == 5);
      comm::set_count_limit(0);
      EXPECT_LT(distance(expected.forward, found.forward), tolerance);
      EXPECT_LT(distance(expected.backward, found.backward), 2 * tolerance);
      if (limit == 1 && whole > 0) {
        EXPECT_GT(messages(found), whole);
      }
    }
  }
}

TEST(LargeCounts, FloatsAndPiecesBeyondTheLimitAreCut) {
  expect_cut({.method = Method::messages, .wire = WirePrecision::f32}, 1e-7);
  expect_cut({.method = Method::collective, .wire = WirePrecision::f32}, 1e-7);
  expect_cut({.method = Method::messages, .piece_bytes = 150}, 1e-14);
  expect_cut({.method = Method::messages,
              .schedule = Schedule::scattered,
              .requests = Requests::persistent,
              .wire = WirePrecision::f32,
              .piece_bytes = 150},
             1e-7);
}

/// CTest also runs this test with ranks divided into several pretended nodes.
TEST(FftNodesCounts, NodeAwareExchangesBeyondTheLimitAreCut) {
  const auto comm = comm::communicator_of(world);
  const bool alone = comm.max(std::int64_t{comm.node_group().size()}) == 1;
  if (comm::node_memory_kind(comm) == comm::NodeMemoryKind::ordinary || alone)
    GTEST_SKIP() << "no two ranks share memory";
  for (const NodeUse nodes : {NodeUse::separate, NodeUse::combined}) {
    expect_cut({.method = Method::messages, .nodes = nodes}, 1e-14);
    expect_cut({.method = Method::messages,
                .requests = Requests::persistent,
                .nodes = nodes,
                .wire = WirePrecision::f32,
                .piece_bytes = 150},
               1e-7);
  }
}

}  // namespace
}  // namespace weft::test_support
