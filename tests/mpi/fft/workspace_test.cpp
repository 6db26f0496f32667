// Tests workspace_bytes against the sizes that docs/conventions.md states, in units of local
// arrays. All tests but the last only make plans and programs (the steps of one rank) and allocate
// no array. The last one makes a transform and compares its allocation.
#include "comm/from_mpi.hpp"
#include "mpi/support/both_ways.hpp"
#include "run/rank_program.hpp"
#include "run/shared_buffers.hpp"

namespace weft::test_support {
namespace {

constexpr std::int64_t ranks = 4;

struct Needs {
  run::BufferSizes sizes{};
  kernel::ScratchSize scratch;

  /// Returns the bytes of all buffers of the workspace. The scratch memory of threads is not
  /// included.
  std::int64_t bytes() const {
    std::int64_t sum = run::SharedBuffers::bytes(sizes);
    for (int buffer = run::work_buffer; buffer < run::first_shared; ++buffer) sum += sizes[buffer];
    return sum;
  }
};

/// Returns the largest sizes that one rank needs in any of four variants: forward or backward, in
/// place or not.
Needs needs_of(const Plan& plan, std::int64_t rank) {
  const kernel::LocalOptions local{.engine = &kernel::default_engine(),
                                   .precision = plan.problem.precision};
  Needs needs;
  for (const auto direction : {Direction::forward, Direction::backward})
    for (const bool in_place : {false, true}) {
      const run::RankProgram program(plan, {direction, in_place}, rank, local, nullptr);
      for (int buffer = run::work_buffer; buffer < run::buffer_count; ++buffer)
        needs.sizes[buffer] = std::max(needs.sizes[buffer], program.buffer_bytes()[buffer]);
      needs.scratch.grow_to(program.scratch_size());
    }
  return needs;
}

/// Returns the workspace in units of a local array of complex doubles. It is the mean over all
/// ranks, because with combined messages one rank of a node needs more.
double arrays_of(const Problem& problem) {
  const Plan plan = make_plan(problem);
  std::int64_t bytes = 0;
  for (std::int64_t rank = 0; rank < ranks; ++rank) bytes += needs_of(plan, rank).bytes();
  return static_cast<double>(bytes) / static_cast<double>(volume(problem.shape) * 16);
}

Problem slabs(const Exchange& exchange, OutputChoice output, std::int64_t ranks_per_node = ranks) {
  return {.shape = {16, 16, 16},
          .ranks = ranks,
          .ranks_per_node = ranks_per_node,
          .output_choice = output,
          .exchange = exchange};
}

/// Gives the problem an input of pencils.
Problem with_pencils(Problem problem) {
  problem.has_input = false;
  problem.input = Layout::pencil(checked(problem).input_shape(), ranks);
  problem.has_input = true;
  return problem;
}

Problem pencils(const Exchange& exchange, OutputChoice output,
                std::int64_t ranks_per_node = ranks) {
  return with_pencils(slabs(exchange, output, ranks_per_node));
}

TEST(FftWorkspace, SharedHasOneArray) {
  const Exchange shared{.method = Method::shared};
  for (const OutputChoice output : {OutputChoice::any, OutputChoice::same}) {
    EXPECT_EQ(arrays_of(slabs(shared, output)), 1);
    EXPECT_EQ(arrays_of(pencils(shared, output)), 1);
  }
}

/// A plane that exceeds the cache needs two passes. The data between them is stored in the target
/// of the second pass, so the workspace does not grow.
TEST(FftWorkspace, PlanesBeyondTheCacheCostNoArray) {
  for (const Exchange& exchange :
       {Exchange{.method = Method::shared}, Exchange{.method = Method::messages}}) {
    SCOPED_TRACE(describe(exchange));
    Problem small = slabs(exchange, OutputChoice::any);
    Problem large = small;
    large.shape = {8, 8192, 4096};
    EXPECT_EQ(arrays_of(large), arrays_of(small));
    large.kinds = Kind::r2c;
    EXPECT_LE(arrays_of(large), arrays_of(small) * 0.51);
  }
}

TEST(FftWorkspace, MessagesAndCallsTakeOneArrayOrTwoWithChunks) {
  for (const Method method : {Method::messages, Method::collective})
    for (const WireForm form : {WireForm::packed, WireForm::datatype}) {
      for (const int chunks : {1, 2}) {
        const Exchange exchange{.method = method, .wire_form = form, .chunks = chunks};
        SCOPED_TRACE(describe(exchange));
        for (const OutputChoice output : {OutputChoice::any, OutputChoice::same}) {
          EXPECT_EQ(arrays_of(slabs(exchange, output)), chunks);
          EXPECT_EQ(arrays_of(pencils(exchange, output)), chunks);
        }
      }
    }
}

TEST(FftWorkspace, RaggedBlocksTakeNoMore) {
  for (const Method method : {Method::messages, Method::collective})
    for (const OutputChoice output : {OutputChoice::any, OutputChoice::same}) {
      Problem problem = slabs({.method = method}, output);
      problem.shape = {30, 30, 15};
      EXPECT_EQ(arrays_of(problem), 1) << to_json(problem);
    }
}

/// Half a spectrum is slightly larger than the reals. With messages the workspace is one spectrum.
/// If the plan has two exchanges, the own block of the second (the block that a rank sends to
/// itself) is stored separately. The own block is a quarter of the array for slabs, and a half for
/// pencils. Collective calls need two spectra.
TEST(FftWorkspace, RealsTakeOneToTwoSpectra) {
  const double spectrum = 9.0 / 16;
  const auto arrays = [](Problem problem) {
    problem.kinds = Kind::r2c;
    return arrays_of(problem);
  };
  const Exchange messages{.method = Method::messages};
  EXPECT_NEAR(arrays(slabs(messages, OutputChoice::any)), spectrum, 0.01);
  EXPECT_NEAR(arrays(slabs(messages, OutputChoice::same)), spectrum * 1.25, 0.05);
  EXPECT_NEAR(arrays(pencils(messages, OutputChoice::any)), spectrum * 1.5, 0.2);
  const Exchange calls{.method = Method::collective};
  EXPECT_NEAR(arrays(slabs(calls, OutputChoice::any)), 2 * spectrum, 0.01);
}

/// With modes or support, stages have arrays of different sizes, so fewer of them share memory.
TEST(FftWorkspace, ModesAndSupportTakeOneOrTwoArraysMore) {
  const std::vector<Exchange> exchanges{{.method = Method::shared},
                                        {.method = Method::messages},
                                        {.method = Method::messages, .chunks = 2},
                                        {.method = Method::messages, .nodes = NodeUse::separate},
                                        {.method = Method::messages, .nodes = NodeUse::combined},
                                        {.method = Method::collective},
                                        {.method = Method::rma}};
  const std::vector<std::pair<Shape, Shape>> tried{
      {{two_thirds}, {}}, {{}, {8}}, {{}, {15}}, {{two_thirds}, {8}}};
  const std::vector<std::pair<Kind, double>> kinds{
      {Kind::c2c, 1.0}, {Kind::r2c, 9.0 / 16}, {Kind::dct2, 0.5}};
  int run = 0;
  for (const Exchange& exchange : exchanges)
    for (const auto& [kind, array] : kinds)
      for (const bool by_pencils : {false, true})
        for (const OutputChoice output : {OutputChoice::any, OutputChoice::same}) {
          Problem whole = slabs(exchange, output);
          whole.kinds = kind;
          const double more = exchange.method == Method::shared ? 2 : 1;
          // Ranks with uneven boxes have slightly more.
          const double most =
              arrays_of(by_pencils ? with_pencils(whole) : whole) + (more + 0.05) * array;
          for (const auto& [modes, support] : tried) {
            Problem less = whole;
            less.modes = modes;
            less.support = support;
            if (by_pencils) less = with_pencils(less);
            EXPECT_LE(arrays_of(less), most) << to_json(less);
            ++run;
          }
        }
  EXPECT_EQ(run, 7 * 3 * 2 * 2 * 4);
}

TEST(FftWorkspace, NodeAwareAlsoStoresReceivedBlocks) {
  for (const NodeUse nodes : {NodeUse::separate, NodeUse::combined}) {
    const Exchange exchange{.method = Method::messages, .nodes = nodes};
    SCOPED_TRACE(describe(exchange));
    const double from_others = 0.5;  // from the two ranks on the other node
    EXPECT_EQ(arrays_of(slabs(exchange, OutputChoice::any, 2)), 1 + from_others);
    EXPECT_EQ(arrays_of(slabs(exchange, OutputChoice::same, 2)), 2 + from_others);
  }
}

/// r2c makes lines slightly longer. If the halved axis is not the fastest in memory, a line
/// transformed in place would overwrite its neighbours. So a first stage that writes to the memory
/// from which it reads needs one more array.
TEST(FftWorkspace, LinesThatLeaveTheirPlaceCostAnArray) {
  Problem problem = slabs({.method = Method::shared}, OutputChoice::same);
  problem.shape = {16, 14, 16};
  problem.kinds = Kind::r2c;
  problem.axes = {0, 2, 1};
  const double spectrum = 8.0 / 14;  // half a spectrum has 8 complex numbers for 14 points
  EXPECT_NEAR(arrays_of(problem), 2 * spectrum, 1e-9);
  problem.shape = {16, 16, 14};
  problem.axes = {};
  EXPECT_NEAR(arrays_of(problem), spectrum, 1e-9);
}

/// The reported workspace is the sum of the programs' buffers and scratch, apart from rounding up.
/// The allocated memory is larger by at most two pages.
TEST(FftWorkspace, ReportedBytesMatchTheAllocation) {
  for (const Exchange& exchange : {Exchange{}, Exchange{.method = Method::messages, .chunks = 2}}) {
    Problem problem{
        .shape = {32, 32, 32}, .output_choice = OutputChoice::same, .exchange = exchange};
    const auto before = memory_counters().live_bytes;
    const api::Handle handle(problem, {}, comm::communicator_of(world));
    const auto taken = memory_counters().live_bytes - before;
    const Needs needs = needs_of(handle.plan(), rank_of(world));
    const std::int64_t stated = handle.workspace_bytes();
    const std::int64_t rounding = run::buffer_count * AlignedBuffer::alignment_bytes;
    EXPECT_GE(stated, needs.bytes() + needs.scratch.thread_bytes());
    EXPECT_LE(stated, needs.bytes() + needs.scratch.thread_bytes() + rounding);
    EXPECT_GE(taken, stated);
    EXPECT_LE(taken, stated + 2 * 4096) << "more than two pages beyond the reported bytes";
  }
}

}  // namespace
}  // namespace weft::test_support
