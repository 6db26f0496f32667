// Plans of the fixed rule. Every plan transforms each axis in a layout that does not split it, and
// ends as requested. The rule chooses slabs, pencils and batches. Wrong problems are refused with
// the right words.

#include <gtest/gtest.h>

#include <map>

#include <weft/error.hpp>
#include <weft/plan.hpp>

#include "layout/overlap.hpp"
#include "plan/check_plan.hpp"
#include "support/random_problems.hpp"
#include "support/seed.hpp"
#include "unit/support/expect_error.hpp"
#include "unit/support/expect_view.hpp"

namespace weft {
namespace {

using namespace test_support;

constexpr auto mismatch = ErrorCode::layout_mismatch;

// --- validity of a plan, written again from the contract: box by box on every rank ---

/// Expects the boxes of both layouts to be equal, apart from the extents of whole axes.
void expect_same_boxes(const Layout& a, const Layout& b) {
  ASSERT_EQ(a.ranks(), b.ranks());
  for (std::int64_t rank = 0; rank < a.ranks(); ++rank) {
    Box expected = a.box(rank);
    for (int axis = 0; axis < a.dims(); ++axis)
      if (a.shape()[axis] != b.shape()[axis] && !expected.empty())
        expected.upper[axis] = b.shape()[axis];
    ASSERT_EQ(expected, b.box(rank)) << "rank " << rank;
  }
}

/// Expects that every axis is transformed once, in a layout that does not split it, the halved axis
/// first. Shapes must follow from this.
void expect_transforms_every_axis(const Plan& plan) {
  if (!plan.view().empty()) return expect_is_view(plan);
  const Problem& problem = plan.problem;
  std::map<int, int> times;
  Shape shape = problem.input_shape();
  int done = 0;
  for (const Stage& stage : plan.stages) {
    ASSERT_EQ(stage.source.shape(), shape);
    for (int axis : stage.axes) {
      if (problem.has_halved_axis() && done == 0) {
        ASSERT_EQ(axis, problem.halved_axis());
      }
      const std::int64_t modes = problem.modes_of(axis);
      shape[axis] = problem.halves(axis) ? modes / 2 + 1 : modes;
      expect_whole(stage.source, axis);
      expect_whole(stage.target, axis);
      ++times[axis];
      ++done;
    }
    ASSERT_EQ(stage.target.shape(), shape);
    expect_same_boxes(stage.source, stage.target);
  }
  ASSERT_EQ(shape, problem.output_shape());
  ASSERT_EQ(times.size(), problem.axes.size());
  for (int axis : problem.axes) ASSERT_EQ(times[axis], 1) << "axis " << axis;
}

void expect_same_as_input(const Plan& plan) {
  const Problem& problem = plan.problem;
  const Layout& input = plan.input();
  const Layout& output = plan.output();
  ASSERT_EQ(output.order(), input.order());
  const auto is_whole = [&](int axis) {
    return input.shape()[axis] == output.shape()[axis] || input.is_whole(axis);
  };
  if (input.shape() == output.shape()) {
    ASSERT_EQ(output, input);
  } else if (input.dims() == output.dims() &&
             std::all_of(problem.axes.begin(), problem.axes.end(), is_whole)) {
    expect_same_boxes(input, output);
  } else if (problem.has_input || plan.view().empty()) {
    ASSERT_EQ(output.process_grid(), input.process_grid());
  } else {  // input and output each have their own cuts between rows
    ASSERT_EQ(output.empty_ranks(), input.empty_ranks());
  }
}

void expect_valid(const Plan& plan) {
  const Problem& problem = plan.problem;
  ASSERT_FALSE(plan.stages.empty());
  ASSERT_EQ(plan.stages.size(), plan.exchanges.size() + 1);
  for (const Stage& stage : plan.stages) {
    ASSERT_EQ(stage.source.ranks(), problem.ranks);
    ASSERT_EQ(stage.target.ranks(), problem.ranks);
  }
  expect_transforms_every_axis(plan);
  if (problem.has_input) {
    ASSERT_EQ(plan.input(), problem.input);
  }
  if (problem.output_choice == OutputChoice::given) {
    ASSERT_EQ(plan.output(), problem.output);
  }
  if (problem.output_choice == OutputChoice::same) expect_same_as_input(plan);
  for (const Exchange& exchange : plan.exchanges) {
    ASSERT_NE(exchange.method, Method::automatic);
    ASSERT_NE(exchange.wire_form, WireForm::automatic);
    if (exchange.method == Method::messages) {
      ASSERT_NE(exchange.schedule, Schedule::automatic);
    }
    if (problem.exchange.method != Method::automatic) {
      ASSERT_EQ(exchange.method, problem.exchange.method);
    }
    if (problem.exchange.wire_form != WireForm::automatic) {
      ASSERT_EQ(exchange.wire_form, problem.exchange.wire_form);
    }
  }
  ASSERT_EQ(plan.chosen_by, "fixed rule");
  ASSERT_NO_THROW(check_plan(plan));
}

/// Returns the number of exchanges that move something. If an exchange moves nothing, the plan
/// could be shorter.
std::size_t useful_exchanges(const Plan& plan) {
  std::size_t useful = 0;
  for (std::size_t i = 0; i + 1 < plan.stages.size(); ++i)
    useful += !plan.stages[i].target.same_boxes(plan.stages[i + 1].source);
  return useful;
}

// --- sweeps ---

TEST(Plan, RandomProblemsHaveValidPlans) {
  std::map<std::string, int> seen;
  const std::uint64_t first = chosen_seed(0);
  for (std::uint64_t seed = first; seed < first + 5000; ++seed) {
    Random random(seed);
    const Problem problem = random_problem(random);
    SCOPED_TRACE("seed " + std::to_string(seed) + ": " + to_json(problem));
    const Plan plan = make_plan(problem);
    ASSERT_EQ(plan.problem, checked(problem));
    expect_valid(plan);
    if (HasFailure()) return;
    ASSERT_EQ(useful_exchanges(plan), plan.exchanges.size()) << explain(plan);
    // Only the first stage (a given input) and the last stage (a wanted output) may transform
    // nothing.
    for (std::size_t i = 1; i + 1 < plan.stages.size(); ++i)
      ASSERT_FALSE(plan.stages[i].axes.empty()) << explain(plan);
    // A spectrum of one mode along an axis cannot take over a split.
    const bool is_free = !problem.has_input && problem.has_whole_axes();
    if (is_free && plan.stages[0].axes.empty() && plan.view().empty()) {
      ASSERT_EQ(plan.stages[1].source.empty_ranks(), problem.ranks - 1) << explain(plan);
    }
    ++seen[to_string(problem.kinds)];
    ++seen[to_string(problem.output_choice)];
    ++seen[problem.has_input ? "input " + problem.input.family() : "input chosen"];
    ++seen["dims " + std::to_string(problem.shape.size())];
    ++seen["stages " + std::to_string(plan.stages.size())];
    seen["empty ranks"] += plan.output().empty_ranks() > 0;
  }
  for (const char* what : {"c2c", "r2c", "any", "same", "given", "input chosen", "input boxes",
                           "input whole", "input slab", "input pencil", "dims 1", "dims 5",
                           "stages 1", "stages 2", "stages 3", "stages 4", "empty ranks"})
    EXPECT_GT(seen[what], 50) << what;
}

TEST(Plan, EverySubsetOfAxesHasAValidPlanOnUpTo64Ranks) {
  const std::vector<Shape> shapes = {{12},       {1},       {7, 1},     {13, 31},     {2, 97},
                                     {8, 9, 10}, {5, 5, 1}, {3, 2, 61}, {4, 3, 5, 2}, {64, 4, 4}};
  std::int64_t plans = 0;
  for (const Shape& shape : shapes)
    for (unsigned subset = 1; subset < 1U << shape.size(); ++subset)
      for (std::int64_t ranks = 1; ranks <= 64; ++ranks)
        for (Kind kind : {Kind::c2c, Kind::r2c})
          for (OutputChoice output : {OutputChoice::any, OutputChoice::same}) {
            Problem problem{.shape = shape, .kinds = kind, .ranks = ranks, .output_choice = output};
            for (int axis = 0; axis < static_cast<int>(shape.size()); ++axis)
              if (subset >> axis & 1U) problem.axes.push_back(axis);
            SCOPED_TRACE(to_json(problem));
            expect_valid(make_plan(problem));
            if (HasFailure()) return;
            ++plans;
          }
  EXPECT_GT(plans, 10000);
}

// --- the fixed rule ---

TEST(FixedRule, OneRankTransformsEverythingInOneStage) {
  for (Kind kind : {Kind::c2c, Kind::r2c}) {
    const Plan plan = make_plan({.shape = {6, 7, 8}, .kinds = kind});
    EXPECT_EQ(plan.stages.size(), 1U);
    EXPECT_TRUE(plan.exchanges.empty());
    EXPECT_TRUE(plan.notes.empty());
  }
}

TEST(FixedRule, SlabsWhereEveryRankGetsRows) {
  const Shape shape{64, 64, 64};
  for (Kind kind : {Kind::c2c, Kind::r2c})
    for (std::int64_t ranks = 2; ranks <= 64; ++ranks) {
      const Plan plan = make_plan({.shape = shape, .kinds = kind, .ranks = ranks});
      SCOPED_TRACE(explain(plan));
      ASSERT_EQ(plan.input(), Layout::slab(shape, ranks));
      ASSERT_EQ(plan.stages.size(), 2U);
      ASSERT_EQ(plan.stages[0].axes, (std::vector<int>{2, 1}));
      ASSERT_EQ(plan.stages[1].axes, (std::vector<int>{0}));
      ASSERT_EQ(plan.output().family(), "slab");
      ASSERT_EQ(plan.output().empty_ranks(), 0);
      ASSERT_TRUE(plan.notes.empty());
    }
}

TEST(FixedRule, TheMostSquarePencilWhereSlabsLeaveRanksWithoutRows) {
  const Shape shape{32, 32, 32};
  int pencils = 0;
  for (std::int64_t ranks = 33; ranks <= 64; ++ranks) {
    const Shape factors = process_grids(ranks, 2).front();
    if (factors[0] == 1) continue;  // a prime number of ranks has no pencil
    const Plan plan = make_plan({.shape = shape, .ranks = ranks});
    SCOPED_TRACE(explain(plan));
    ASSERT_EQ(plan.input(), Layout::pencil(shape, ranks));
    ASSERT_EQ(plan.stages.size(), 3U);
    ASSERT_EQ(plan.output().empty_ranks(), 0);
    // Ranks exchange within the rows, then within the columns of the grid, never with all.
    for (std::size_t i = 0; i < 2; ++i)
      for (std::int64_t rank = 0; rank < ranks; ++rank)
        ASSERT_LE(count_overlaps(plan.stages[i].target, rank, plan.stages[i + 1].source),
                  factors[1] + 1);
    ++pencils;
  }
  EXPECT_GT(pencils, 20);
}

TEST(FixedRule, OfGridsWithEquallyManyEmptyRanksTheMostSquareIsTaken) {
  // In any pencil with both factors at least 4, 16 of 64 ranks have data.
  const Plan plan = make_plan({.shape = {4, 4, 4}, .ranks = 64});
  EXPECT_EQ(plan.input().process_grid(), (Shape{8, 8, 1}));
  EXPECT_EQ(plan.input().empty_ranks(), 48);
}

TEST(FixedRule, ABatchIsSplitAndNothingMoves) {
  for (std::int64_t ranks = 1; ranks <= 64; ++ranks) {
    const Plan plan = make_plan({.shape = {8, 64, 8}, .axes = {0, 2}, .ranks = ranks});
    ASSERT_TRUE(plan.exchanges.empty()) << explain(plan);
    ASSERT_EQ(plan.output().empty_ranks(), 0);
  }
}

TEST(FixedRule, AGivenInputThatIsAPencilIsFollowed) {
  Problem problem{.shape = {16, 16, 16}, .ranks = 4, .has_input = true};
  problem.input = Layout::grid(problem.shape, {1, 2, 2});
  const Plan plan = make_plan(problem);
  expect_valid(plan);
  EXPECT_EQ(plan.stages[0].axes, (std::vector<int>{0}));
  EXPECT_EQ(plan.stages.size(), 3U);
}

TEST(FixedRule, TheSameOutputCostsOneExchangeMore) {
  const Problem any{.shape = {64, 64, 64}, .ranks = 8};
  Problem same = any;
  same.output_choice = OutputChoice::same;
  EXPECT_EQ(make_plan(same).exchanges.size(), make_plan(any).exchanges.size() + 1);
  EXPECT_TRUE(make_plan(same).stages.back().axes.empty());
}

TEST(FixedRule, AnAxisOfPrimeLengthGoesToOneRankAndReturns) {
  const Plan plan = make_plan({.shape = {29}, .ranks = 3});
  expect_valid(plan);
  EXPECT_EQ(plan.stages.size(), 3U);
  EXPECT_EQ(plan.stages[1].source.family(), "whole");
  EXPECT_EQ(plan.output().family(), "slab");
  ASSERT_EQ(plan.notes.size(), 1U);
  EXPECT_NE(plan.notes[0].find("goes to one rank"), std::string::npos);
}

TEST(FixedRule, IdleRanksAreNoted) {
  const Plan plan = make_plan({.shape = {3, 3}, .ranks = 7});
  expect_valid(plan);
  ASSERT_FALSE(plan.notes.empty());
  EXPECT_NE(plan.notes[0].find("of 7 ranks"), std::string::npos) << plan.notes[0];
}

TEST(FixedRule, SixteenThousandRanksAllHaveData) {
  int planned = 0;
  for (Kind kind : {Kind::c2c, Kind::r2c})
    for (OutputChoice output : {OutputChoice::any, OutputChoice::same})
      for (const Shape& shape : {Shape{4096, 4096, 4096}, Shape{16384, 16384, 16},
                                 Shape{1 << 20, 1 << 20}, Shape{128, 128, 128, 128}}) {
        const Plan plan =
            make_plan({.shape = shape, .kinds = kind, .ranks = 16384, .output_choice = output});
        check_plan(plan);
        EXPECT_EQ(plan.input().empty_ranks(), 0) << explain(plan);
        ++planned;
      }
  EXPECT_EQ(planned, 16);
}

// --- explain ---

TEST(Explain, SaysWhoChoseAndWhatMoves) {
  const std::string text =
      explain(make_plan({.shape = {64, 64, 64}, .kinds = Kind::r2c, .ranks = 8}));
  for (const char* words :
       {"r2c of 64x64x64, f64, over axes 0, 1, 2", "axis 2 is halved, the output is 64x64x33",
        "on 8 ranks, 1 thread each", "chosen by: a fixed rule (no machine was given)",
        "input:  64x64x64 as slab, grid 8x1x1 (chosen)",
        "stage 0: transforms axes 2, then 1 of 64x64x64 as slab, grid 8x1x1, which becomes "
        "64x64x33",
        // 8 x 64 x 33 elements without the eighth that stays
        "exchange 0: collective packed: MPI_Alltoallv (MPI_Alltoall where all blocks are equal)",
        "; a rank moves at most 14784 complex elements (231.0 KiB) with at most 7 others\n",
        "stage 1: transforms axis 0 of 64x64x33 as slab, grid 1x8x1"})
    EXPECT_NE(text.find(words), std::string::npos) << "no \"" << words << "\" in\n" << text;
}

TEST(Explain, NamesTheChoicesInWords) {
  Problem problem{.shape = {8, 8},
                  .kinds = Kind::r2c,
                  .precision = Precision::f32,
                  .ranks = 3,
                  .has_input = true};
  problem.input = Layout::slab(problem.shape, 3, 1);
  problem.exchange.method = Method::messages;
  const std::string text = explain(make_plan(problem));
  EXPECT_NE(text.find("messages pairwise packed"), std::string::npos) << text;
  EXPECT_NE(text.find("in 3 rounds of perfect matchings"), std::string::npos) << text;
  EXPECT_NE(text.find("real elements"), std::string::npos) << text;
  EXPECT_NE(text.find("(given)"), std::string::npos) << text;
  problem.exchange = {.method = Method::collective, .wire_form = WireForm::datatype};
  const std::string typed = explain(make_plan(problem));
  EXPECT_NE(typed.find("MPI_Alltoallw"), std::string::npos) << typed;
}

TEST(Explain, NamesTheCopyOfALastStageWithoutAxes) {
  Problem problem{.shape = {8, 8, 8}, .ranks = 2, .ranks_per_node = 2};
  problem.output_choice = OutputChoice::same;
  const std::string shared = explain(make_plan(problem));
  EXPECT_NE(shared.find("stage 2: transforms no axis of 8x8x8 as slab, grid 2x1x1; costs nothing "
                        "if the output comes from output.empty(), otherwise one copy\n"),
            std::string::npos)
      << shared;
  problem.ranks_per_node = 1;
  const std::string packed = explain(make_plan(problem));
  EXPECT_NE(packed.find("grid 2x1x1; costs one copy\n"), std::string::npos) << packed;
}

TEST(Explain, RepeatsTheNotes) {
  const std::string text = explain(make_plan({.shape = {29}, .ranks = 3}));
  EXPECT_NE(text.find("note: no axis is free to be split"), std::string::npos) << text;
  expect_error(invalid, {"0 stages and 0 exchanges"}, [] { explain(Plan{}); });
}

// --- checked() ---

TEST(Checked, FillsInAxes) {
  EXPECT_EQ(checked({.shape = {4, 5, 6}}).axes, (std::vector<int>{0, 1, 2}));
  EXPECT_EQ(checked({.shape = {4, 5, 6}, .axes = {-1, 0}}).axes, (std::vector<int>{2, 0}));
  const Problem problem = checked({.shape = {4, 5, 6}, .axes = {2, 1}, .kinds = Kind::r2c});
  EXPECT_EQ(problem.halved_axis(), 1);
  EXPECT_EQ(problem.output_shape(), (Shape{4, 3, 6}));
  EXPECT_EQ(problem.points(), 30);
  EXPECT_EQ(checked(problem), problem) << "checking twice must change nothing";
}

TEST(Checked, RefusesBadNumbers) {
  expect_error(invalid, {"1 to 8 axes"}, [] { checked({}); });
  expect_error(invalid, {"at least 1", "4x0"}, [] { checked({.shape = {4, 0}}); });
  expect_error(invalid, {"at least 1", "-4"}, [] { checked({.shape = {-4}}); });
  const std::int64_t large = std::int64_t{1} << 40;
  expect_error(invalid, {"63 bits"}, [&] { checked({.shape = {large, large}}); });
  expect_error(invalid, {"bytes of the array"}, [&] { checked({.shape = {large, 1 << 20}}); });
  expect_error(invalid, {"ranks", "given 0"}, [] { checked({.shape = {4}, .ranks = 0}); });
  expect_error(invalid, {"ranks of a plan", "at most 1048576", "given 1048577", "fewer ranks"},
               [] { checked({.shape = {4}, .ranks = 1048577}); });
  EXPECT_EQ(checked({.shape = {4}, .ranks = 1048576}).ranks, 1048576);
  expect_error(invalid, {"axis", "-2..1", "given (2)"}, [] {
    checked({.shape = {4, 4}, .axes = {2}});
  });
  expect_error(invalid, {"axis", "given (0, -3)"}, [] {
    checked({.shape = {4, 4}, .axes = {0, -3}});
  });
  expect_error(invalid, {"axis 1 is given twice", "(1, -1)"}, [] {
    checked({.shape = {4, 4}, .axes = {1, -1}});
  });
  expect_error(invalid, {"sign", "given 0"}, [] { checked({.shape = {4}, .sign = 0}); });
  expect_error(invalid, {"threads", "given 0"}, [] { checked({.shape = {4}, .threads = 0}); });
}

TEST(Checked, RefusesLayoutsThatDoNotFit) {
  Problem problem{.shape = {8, 8}, .kinds = Kind::r2c, .ranks = 4, .has_input = true};
  problem.input = Layout::slab({8, 5}, 4);
  expect_error(mismatch, {"input layout", "8x8", "given 8x5"}, [&] { checked(problem); });
  problem.input = Layout::slab({8, 8}, 3);
  expect_error(mismatch, {"input layout", "4 ranks", "given one for 3"}, [&] { checked(problem); });
  problem.input = Layout::grid({8, 8}, {2, 1}, {}, 4);
  expect_error(mismatch, {"product", "2x1", "number of ranks, 4"}, [&] { checked(problem); });
  problem.input = Layout();
  expect_error(mismatch, {"input layout"}, [&] { checked(problem); });
  problem.has_input = false;
  problem.output_choice = OutputChoice::given;
  problem.output = Layout::slab({8, 8}, 4);
  expect_error(mismatch, {"output layout", "8x5", "given 8x8"}, [&] { checked(problem); });
  problem.output = Layout::slab({8, 5}, 4);
  EXPECT_NO_THROW(checked(problem));
}

TEST(Checked, RefusesChoicesThatDoNotGoTogether) {
  Problem problem{.shape = {8, 8}};
  problem.exchange = {.method = Method::shared, .wire_form = WireForm::datatype};
  expect_error(ErrorCode::unsupported,
               {"method shared, wire form datatype", "one of: ", "send nothing"},
               [&] { checked(problem); });
  problem.exchange = {.method = Method::shared, .chunks = 2};
  expect_error(ErrorCode::unsupported, {"chunks 2", "one of: ", "send nothing"},
               [&] { checked(problem); });
  problem.exchange = {.method = Method::collective, .requests = Requests::persistent};
  expect_error(ErrorCode::unsupported, {"requests persistent", "belong to messages"},
               [&] { checked(problem); });
  problem.exchange = {.method = Method::shared, .wire = WirePrecision::f32};
  expect_error(ErrorCode::unsupported, {"wire f32"}, [&] { checked(problem); });
  problem.exchange = {.wire_form = WireForm::datatype, .wire = WirePrecision::f32};
  expect_error(ErrorCode::unsupported, {"wire f32", "need the packed wire form"},
               [&] { checked(problem); });
  for (const Exchange& choices : {Exchange{.method = Method::shared, .piece_bytes = 64},
                                  Exchange{.method = Method::collective, .piece_bytes = 64},
                                  Exchange{.wire_form = WireForm::datatype, .piece_bytes = 64}}) {
    problem.exchange = choices;
    expect_error(ErrorCode::unsupported, {"bytes of a piece 64", "one of: "},
                 [&] { checked(problem); });
  }
  problem.exchange = {.piece_bytes = -1};
  expect_error(invalid, {"bytes of a piece must not be negative", "-1"}, [&] { checked(problem); });
  problem.exchange = {.nodes = NodeUse::combined};
  problem.ranks = 4;
  expect_error(ErrorCode::unsupported, {"nodes combined needs ranks that share memory"},
               [&] { checked(problem); });
  problem.ranks_per_node = 2;
  EXPECT_NO_THROW(checked(problem));
  problem.exchange.chunks = 2;
  expect_error(ErrorCode::unsupported, {"nodes combined", "go in one chunk"},
               [&] { checked(problem); });
  problem.ranks = problem.ranks_per_node = 1;
  problem.exchange = {.wire = WirePrecision::f32};
  EXPECT_NO_THROW(checked(problem));
  problem.precision = Precision::f32;
  expect_error(invalid, {"must be f64", "given f32"}, [&] { checked(problem); });
  problem.precision = Precision::f64;
  problem.exchange = {.chunks = -1};
  expect_error(invalid, {"chunks must not be negative", "-1"}, [&] { checked(problem); });
  problem.exchange = {.method = Method::collective, .schedule = Schedule::pairwise};
  expect_error(ErrorCode::unsupported, {"schedule pairwise", "one of: "},
               [&] { checked(problem); });
}

TEST(Checked, RefusesSameWhereR2cHalvesASplitAxisOfBoxes) {
  Problem problem{.shape = {4, 4},
                  .kinds = Kind::r2c,
                  .ranks = 2,
                  .has_input = true,
                  .output_choice = OutputChoice::same};
  problem.input = Layout::of_boxes({4, 4}, {{{0, 0}, {4, 1}}, {{0, 1}, {4, 4}}});
  expect_error(invalid, {"same", "axis 1"}, [&] { checked(problem); });
  expect_error(invalid, {"same", "axis 1"}, [&] { make_plan(problem); });
  problem.output_choice = OutputChoice::any;
  expect_valid(make_plan(problem));
}

}  // namespace
}  // namespace weft
