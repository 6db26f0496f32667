// Node-aware exchanges. All ranks of this machine are one node, unless WEFT_RANKS_PER_NODE sets
// another number of ranks on a node.
#include "comm/from_mpi.hpp"
#include "mpi/support/both_ways.hpp"

namespace weft::test_support {
namespace {

class FftNodes : public testing::Test {
 protected:
  void SetUp() override {
    if (comm::node_memory_kind(comm::communicator_of(world)) == comm::NodeMemoryKind::ordinary)
      GTEST_SKIP() << "the ranks share no memory here";
    if (ranks_per_node() == 1 && size_of(world) > 1) GTEST_SKIP() << "no two ranks share a node";
  }

  static std::int64_t ranks_per_node() {
    const auto comm = comm::communicator_of(world);
    return comm.max(std::int64_t{comm.node_group().size()});
  }

  static std::int64_t node_of(std::int64_t rank) { return rank / ranks_per_node(); }
};

std::vector<Exchange> node_aware_ways() {
  std::vector<Exchange> ways;
  for (const NodeUse nodes : {NodeUse::separate, NodeUse::combined})
    for (const Schedule schedule : {Schedule::pairwise, Schedule::cyclic, Schedule::scattered})
      for (const Requests requests : {Requests::ordinary, Requests::persistent})
        ways.push_back({.method = Method::messages,
                        .schedule = schedule,
                        .requests = requests,
                        .nodes = nodes});
  return ways;
}

TEST_F(FftNodes, AgreeWithTheOracle) {
  int compared = 0;
  std::size_t row = 0;
  const auto ways = node_aware_ways();
  for (const Problem& problem : exchange_problems())
    for (const bool in_place : {false, true}) {
      const Results expected = run_both(problem, oracle_exchange, false, in_place);
      std::size_t number = row++ / 2 + (in_place ? 1 : 0);  // every second problem is in place
      for (const Exchange& choices : ways) {
        if (!is_compared(number++)) continue;
        SCOPED_TRACE(to_json(problem) + (in_place ? " in place, " : ", ") + describe(choices));
        const Results found = run_both(problem, choices, false, in_place);
        EXPECT_LT(distance(expected.forward, found.forward), 1e-14);
        EXPECT_LT(distance(expected.backward, found.backward), 1e-14);
        ++compared;
      }
    }
  const std::size_t cases = 12 * 2 * exchange_problems().size();
  EXPECT_EQ(compared, static_cast<int>(size_of(world) <= 3 ? cases : cases / 2));
}

/// Calls follow each other without a pause. No rank may overwrite data that a rank of its node
/// still reads.
TEST_F(FftNodes, CallsMayFollowEachOtherWithoutAPause) {
  for (const NodeUse nodes : {NodeUse::separate, NodeUse::combined}) {
    Problem problem{.shape = {12, 10, 8}, .output_choice = OutputChoice::same};
    problem.exchange = {.method = Method::messages, .nodes = nodes};
    api::Handle handle(problem, {}, comm::communicator_of(world));
    Array x(handle.inplace_bytes(), false);
    Array y(handle.inplace_bytes(), false);
    std::vector<unsigned char> expected;
    fill(x.data(), handle.inplace_bytes(), rank_of(world));
    for (int turn = 0; turn < 50; ++turn) {
      handle.execute(Direction::forward, x.data(), y.data());
      if (turn == 0) expected = y.content();
      ASSERT_EQ(y.content(), expected) << "turn " << turn;
    }
  }
}

/// Only elements for other nodes are sent. If combined, there is one message for each pair of
/// nodes.
TEST_F(FftNodes, OnlyElementsForOtherNodesAreSent) {
  const std::int64_t ranks = size_of(world);
  if (ranks == 1) GTEST_SKIP() << "one rank sends nothing";
  const Shape shape{4 * ranks, 4 * ranks};  // every block is a multiple of a cache line, so there
                                            // are no gaps
  const Layout from = Layout::slab(shape, ranks, 0);
  const Layout to = Layout::slab(shape, ranks, 1);
  std::int64_t leaving = 0;
  for (std::int64_t a = 0; a < ranks; ++a)
    for (std::int64_t b = 0; b < ranks; ++b)
      if (node_of(a) != node_of(b)) leaving += intersect(from.box(a), to.box(b)).volume();
  const std::int64_t nodes = node_of(ranks - 1) + 1;
  for (const NodeUse use : {NodeUse::separate, NodeUse::combined}) {
    SCOPED_TRACE(to_string(use));
    Problem problem{.shape = shape, .has_input = true, .output_choice = OutputChoice::given};
    problem.input = from;
    problem.output = to;
    problem.exchange = {.method = Method::messages, .nodes = use};
    const Results found = run_both(problem, problem.exchange, false, false);
    const auto comm = comm::communicator_of(world);
    const StepRecord& exchange = found.forward_record[1];
    EXPECT_EQ(comm.sum(exchange.bytes_sent), leaving * 16);
    if (use == NodeUse::combined) {
      EXPECT_EQ(comm.sum(exchange.messages), nodes * (nodes - 1));
    }
  }
}

TEST_F(FftNodes, PiecesBetweenNodesGiveTheResultOfTheOracle) {
  const Problem problem{.shape = {15, 12, 10}, .kinds = Kind::r2c};
  const Results expected = run_both(problem, oracle_exchange, false, false);
  for (const NodeUse nodes : {NodeUse::separate, NodeUse::combined}) {
    const Exchange choices{.method = Method::messages, .nodes = nodes, .piece_bytes = 200};
    const Results found = run_both(problem, choices, false, false);
    EXPECT_LT(distance(expected.forward, found.forward), 1e-14);
    EXPECT_LT(distance(expected.backward, found.backward), 1e-14);
  }
}

TEST_F(FftNodes, FloatsBetweenNodesAddOnlyTheErrorOfFloats) {
  const Problem problem{.shape = {15, 12, 10}, .kinds = Kind::r2c};
  const Results expected = run_both(problem, oracle_exchange, false, false);
  for (const NodeUse nodes : {NodeUse::separate, NodeUse::combined}) {
    const Exchange choices{.method = Method::messages, .nodes = nodes, .wire = WirePrecision::f32};
    const Results found = run_both(problem, choices, false, false);
    EXPECT_LT(distance(expected.forward, found.forward), 1e-7);
    EXPECT_LT(distance(expected.backward, found.backward), 2e-7);
  }
}

}  // namespace
}  // namespace weft::test_support
