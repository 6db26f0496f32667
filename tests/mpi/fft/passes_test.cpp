// Shared exchanges cost no pass over memory, or one copy, as the plan says. In every variant of
// execution, the recorded bytes of each stage are compared with the plan.
#include "comm/from_mpi.hpp"
#include "mpi/support/both_ways.hpp"
#include "mpi/support/stage_bytes.hpp"
#include "plan/end_stages.hpp"

namespace weft::test_support {
namespace {

constexpr Variant all_variants[] = {{Direction::forward, false},
                                    {Direction::forward, true},
                                    {Direction::backward, false},
                                    {Direction::backward, true}};

class FftPasses : public testing::Test {
 protected:
  void SetUp() override {
    if (size_of(world) == 1) GTEST_SKIP() << "needs an exchange";
    const auto group = comm::communicator_of(world);
    const auto kind = comm::node_memory_kind(group);
    if (kind == comm::NodeMemoryKind::ordinary || group.node_group().size() != group.size())
      GTEST_SKIP() << "the ranks share no memory here";
    if (kind == comm::NodeMemoryKind::window)
      GTEST_SKIP() << "other ranks cannot read arrays in windows";
  }
};

/// Returns whether a stage without transforms copies its array, according to the plan. explain()
/// prints the same (tests/unit/plan/end_stages_test.cpp).
bool costs_copy(const Plan& plan, std::size_t stage, Variant variant, bool in_node_memory) {
  return !in_node_memory || copies_always(plan, stage, variant);
}

std::vector<StepRecord> record_of(api::Handle& handle, Variant variant, bool in_node_memory) {
  Array x(handle.inplace_bytes(), in_node_memory);
  Array y(handle.inplace_bytes(), in_node_memory);
  handle.transform().set_recording(true);
  handle.execute(variant.direction, x.data(), variant.in_place ? x.data() : y.data());
  return handle.transform().record();
}

/// Returns the number of stages without a pass, and the number of stages that only copied.
std::pair<int, int> check_passes(api::Handle& handle, Variant variant, bool in_node_memory) {
  const auto record = record_of(handle, variant, in_node_memory);
  const Plan& plan = handle.plan();
  const auto bytes = stage_bytes(plan, rank_of(world), !variant.is_backward());
  std::pair<int, int> found{0, 0};
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    const std::size_t stage = variant.is_backward() ? bytes.size() - 1 - i : i;
    const bool transforms = !plan.stages[stage].axes.empty();
    const bool passes = transforms || costs_copy(plan, stage, variant, in_node_memory);
    SCOPED_TRACE(to_string(variant) + (in_node_memory ? ", node memory, " : ", private, ") +
                 record[2 * i].name);
    EXPECT_EQ(record[2 * i].bytes_read, passes ? bytes[i].in : 0);
    EXPECT_EQ(record[2 * i].bytes_written, passes ? bytes[i].out : 0);
    found.first += passes ? 0 : 1;
    found.second += passes && !transforms ? 1 : 0;
  }
  return found;
}

/// Returns the sums of both numbers over all variants with arrays in node memory. Runs with private
/// arrays are only compared with the plan.
std::pair<int, int> check_all_ways(const Problem& given) {
  Problem problem = given;
  problem.exchange = {.method = Method::shared};
  SCOPED_TRACE(to_json(problem));
  api::Handle handle(problem, {}, comm::communicator_of(world));
  std::pair<int, int> sum{0, 0};
  for (const Variant variant : all_variants) {
    check_passes(handle, variant, false);
    const auto [none, copies] = check_passes(handle, variant, true);
    sum.first += none;
    sum.second += copies;
  }
  return sum;
}

Problem with_input(const Shape& shape, Kind kind, OutputChoice output, const Layout& input) {
  Problem problem{.shape = shape, .kinds = kind, .has_input = true, .output_choice = output};
  problem.input = input;
  return problem;
}

/// Splits two axes even for few ranks, so that there are two exchanges.
Layout pencil(const Shape& shape) { return Layout::pencil(shape, size_of(world)); }

TEST_F(FftPasses, NaturalOrderOfSlabsAndPencilsNeedsNoExtraPass) {
  const Shape shape{16, 18, 20};
  for (const Kind kind : {Kind::c2c, Kind::r2c}) {
    const auto slabs =
        check_all_ways({.shape = shape, .kinds = kind, .output_choice = OutputChoice::same});
    EXPECT_EQ(slabs, std::pair(4, 0));
    const auto pencils = check_all_ways(with_input(shape, kind, OutputChoice::same, pencil(shape)));
    EXPECT_EQ(pencils, std::pair(4, 0));
  }
}

TEST_F(FftPasses, AFreeOutputNeedsAsManyPassesAsStages) {
  const Shape shape{16, 18, 20};
  for (const Kind kind : {Kind::c2c, Kind::r2c}) {
    EXPECT_EQ(check_all_ways({.shape = shape, .kinds = kind}), std::pair(0, 0));
    EXPECT_EQ(check_all_ways(with_input(shape, kind, OutputChoice::any, pencil(shape))),
              std::pair(0, 0));
  }
}

/// The input is split along the axis that is halved, so the first exchange moves reals. In place,
/// rows of reals may be padded. Without a copy, forward would overwrite data that others still
/// read.
TEST_F(FftPasses, InPlaceOfR2cThatBeginsWithAnExchangeCopies) {
  const Shape shape{16, 18, 20};
  const Layout split = Layout::slab(shape, size_of(world), 2);
  EXPECT_EQ(check_all_ways(with_input(shape, Kind::r2c, OutputChoice::any, split)),
            std::pair(2, 2));
}

TEST_F(FftPasses, InPlaceOfC2cThatBeginsWithAnExchangeCopiesNothing) {
  const Shape shape{16, 18, 20};
  Problem problem =
      with_input(shape, Kind::c2c, OutputChoice::any, Layout::pencil(shape, size_of(world), 1, 2));
  problem.axes = {1, 2};
  if (problem.input.is_whole(1)) GTEST_SKIP() << "this number of ranks is no grid of two axes";
  EXPECT_EQ(check_all_ways(problem), std::pair(4, 0));
}

/// The plan has one exchange. If the transform begins with the exchange, ranks read the inputs of
/// others. If it ends with the exchange, it copies, because no rank knows the outputs of others at
/// that time.
TEST_F(FftPasses, OneExchangeBesideAStageThatTransformsNothing) {
  const Shape shape{24, 20};
  Problem before =
      with_input(shape, Kind::c2c, OutputChoice::any, Layout::slab(shape, size_of(world), 1));
  before.axes = {1};
  EXPECT_EQ(check_all_ways(before), std::pair(1, 3));
  Problem behind =
      with_input(shape, Kind::c2c, OutputChoice::given, Layout::slab(shape, size_of(world), 0));
  behind.axes = {1};
  behind.output = Layout::slab(shape, size_of(world), 1);
  EXPECT_EQ(check_all_ways(behind), std::pair(1, 3));
}

}  // namespace
}  // namespace weft::test_support
