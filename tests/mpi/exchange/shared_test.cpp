// Shared exchanges: ranks read and write each other's node memory.
#include <cstring>

#include "comm/from_mpi.hpp"
#include "mpi/support/both_ways.hpp"

namespace weft::test_support {
namespace {

constexpr Exchange shared_exchange{.method = Method::shared};

class FftShared : public testing::Test {
 protected:
  void SetUp() override {
    const auto group = comm::communicator_of(world);
    if (comm::node_memory_kind(group) == comm::NodeMemoryKind::ordinary ||
        group.node_group().size() != group.size())
      GTEST_SKIP() << "the ranks share no memory here";
  }
};

/// On one node weft chooses only plans without messages, in place or not. There are three
/// exceptions. Other ranks cannot see a workspace of the caller. Ranks may share no memory
/// (WEFT_NODE_MEMORY=private). Ranks may not be numbered node by node.
TEST_F(FftShared, MovesEveryRandomCaseOnOneNode) {
  int exchanges = 0;
  const std::uint64_t seed = seed_of_all_ranks(4242);
  for (std::uint64_t number = 0; number < 120; ++number) {
    Random random(seed + number);
    Problem problem = random_case(size_of(world), 1500, random).problem;
    problem.exchange = {};
    SCOPED_TRACE(to_json(problem));
    api::Handle handle(problem, {}, comm::communicator_of(world));
    handle.transform().set_recording(true);
    Array x(handle.inplace_bytes(), number % 2 == 0);
    Array y(handle.inplace_bytes(), number % 2 == 0);
    for (const auto direction : {Direction::forward, Direction::backward}) {
      handle.execute(direction, x.data(), number % 3 == 0 ? y.data() : x.data());
      for (const StepRecord& step : handle.transform().record()) {
        if (!step.is_exchange) continue;
        ++exchanges;
        EXPECT_EQ(step.name, "exchange: shared");
        EXPECT_EQ(step.bytes_sent, 0);
        EXPECT_EQ(step.messages, 0);
      }
    }
  }
  if (size_of(world) > 1) {
    EXPECT_GT(exchanges, 100);
  }
}

/// Compared with MPI_Alltoallw: natural order and any, slabs and pencils, parts of different sizes,
/// empty ranks, private and node memory, in place and not.
TEST_F(FftShared, AgreesWithTheOracle) {
  const std::int64_t ranks = size_of(world);
  std::vector<Problem> problems;
  for (const Shape& shape : {Shape{16, 12, 10}, Shape{13, 7, 9}, Shape{3, 4, 5}, Shape{31, 17}})
    for (const Kind kind : {Kind::c2c, Kind::r2c})
      for (const OutputChoice output : {OutputChoice::any, OutputChoice::same}) {
        problems.push_back({.shape = shape, .kinds = kind, .output_choice = output});
        Problem pencils = problems.back();
        pencils.has_input = true;
        pencils.input = Layout::pencil(shape, ranks);
        problems.push_back(pencils);
        Problem split_last = problems.back();
        split_last.input = Layout::slab(shape, ranks, static_cast<int>(shape.size()) - 1);
        if (kind == Kind::c2c || output == OutputChoice::any) problems.push_back(split_last);
      }
  int compared = 0;
  for (const Problem& problem : problems) {
    const Results expected = run_both(problem, oracle_exchange, false, false);
    for (const bool in_node_memory : {false, true})
      for (const bool in_place : {false, true}) {
        SCOPED_TRACE(to_json(problem) + (in_node_memory ? " node memory" : " private") +
                     (in_place ? " in place" : ""));
        const Results found = run_both(problem, shared_exchange, in_node_memory, in_place);
        EXPECT_LT(distance(expected.forward, found.forward), 1e-14);
        EXPECT_LT(distance(expected.backward, found.backward), 1e-14);
        if (!in_place) {
          EXPECT_EQ(found.forward, found.spectrum_after) << "the input must not change";
        }
        ++compared;
      }
  }
  EXPECT_EQ(compared, static_cast<int>(problems.size()) * 4);
}

/// The same layout for input and output costs no additional pass if arrays are in node memory, and
/// one copy if they are private.
TEST_F(FftShared, NaturalOrderCostsNoExtraPass) {
  if (size_of(world) == 1) GTEST_SKIP() << "needs an exchange";
  if (comm::node_memory_kind(comm::communicator_of(world)) == comm::NodeMemoryKind::window)
    GTEST_SKIP() << "other ranks cannot read arrays in windows";
  const Problem problem{.shape = {32, 32, 32}, .output_choice = OutputChoice::same};
  const Results visible = run_both(problem, shared_exchange, true, false);
  const Results hidden = run_both(problem, shared_exchange, false, false);
  const auto array = static_cast<std::int64_t>(visible.forward.size());
  EXPECT_EQ(bytes_read(visible.forward_record), 2 * array);
  EXPECT_EQ(bytes_read(visible.backward_record), 2 * array);
  EXPECT_EQ(bytes_read(hidden.forward_record), 3 * array);
  EXPECT_EQ(bytes_read(hidden.backward_record), 3 * array);
  EXPECT_EQ(visible.forward, hidden.forward);
  EXPECT_EQ(visible.backward, hidden.backward);
}

/// Some ranks give arrays that other ranks can read, others give private arrays.
TEST_F(FftShared, SomeRanksMayUsePrivateArrays) {
  const Problem problem{.shape = {15, 14, 13}, .output_choice = OutputChoice::same};
  const Results all = run_both(problem, shared_exchange, true, false);
  const Results some = run_both(problem, shared_exchange, rank_of(world) % 2 == 0, false);
  EXPECT_EQ(all.forward, some.forward);
  EXPECT_EQ(all.backward, some.backward);
}

/// Arrays are created and freed. A new array may have the address of an old one.
TEST_F(FftShared, ManyArraysTakeTurns) {
  const Problem problem{.shape = {12, 8, 6}, .output_choice = OutputChoice::same};
  Problem forced = problem;
  forced.exchange = shared_exchange;
  api::Handle handle(forced, {}, comm::communicator_of(world));
  std::vector<unsigned char> expected;
  for (int turn = 0; turn < 40; ++turn) {
    Array x(handle.inplace_bytes(), turn % 3 != 0);
    Array y(handle.inplace_bytes(), turn % 2 == 0);
    fill(x.data(), handle.inplace_bytes(), rank_of(world));
    handle.execute(Direction::forward, x.data(), y.data());
    if (turn == 0) expected = y.content();
    ASSERT_EQ(y.content(), expected) << "turn " << turn;
  }
}

/// One input has many outputs, all in node memory and all kept. None may be unmapped while it is in
/// use.
TEST_F(FftShared, ManyOutputsAreKept) {
  const std::int64_t ranks = size_of(world);
  Problem problem{.shape = {24, 20}, .axes = {1}, .ranks = ranks, .has_input = true};
  problem.input = Layout::slab(problem.shape, ranks, 1);
  problem.output_choice = OutputChoice::same;
  problem.exchange = shared_exchange;
  api::Handle handle(problem, {}, comm::communicator_of(world));
  Array x(handle.inplace_bytes(), true);
  fill(x.data(), handle.inplace_bytes(), rank_of(world));
  std::vector<Array> outputs;
  for (int i = 0; i < 40; ++i) outputs.emplace_back(handle.inplace_bytes(), true);
  for (Array& y : outputs) handle.execute(Direction::forward, x.data(), y.data());
  for (Array& y : outputs) EXPECT_EQ(y.content(), outputs[0].content());
}

TEST_F(FftShared, ForwardOnOneRankAndBackwardOnAnotherIsRefusedEverywhere) {
  if (size_of(world) == 1) GTEST_SKIP() << "needs 2 ranks";
  const Problem problem{.shape = {16, 16}, .exchange = shared_exchange};
  api::Handle handle(problem, {}, comm::communicator_of(world));
  Array x(handle.inplace_bytes(), true);
  Array y(handle.inplace_bytes(), true);
  const auto direction = rank_of(world) == 0 ? Direction::forward : Direction::backward;
  try {
    handle.execute(direction, x.data(), y.data());
    FAIL() << "the call was not refused";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::disagreement);
  }
}

TEST_F(FftShared, AMixtureOfInPlaceAndNotIsRefusedEverywhere) {
  if (size_of(world) == 1) GTEST_SKIP() << "needs 2 ranks";
  const Problem problem{.shape = {16, 16}, .exchange = shared_exchange};
  api::Handle handle(problem, {}, comm::communicator_of(world));
  Array x(handle.inplace_bytes(), true);
  Array y(handle.inplace_bytes(), true);
  try {
    handle.execute(Direction::forward, x.data(), rank_of(world) == 0 ? x.data() : y.data());
    FAIL() << "the call was not refused";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::invalid_argument);
    EXPECT_NE(std::string(error.what()).find("on all ranks or on none"), std::string::npos);
  }
}

}  // namespace
}  // namespace weft::test_support
