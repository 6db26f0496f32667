// Input and output layouts of every form, and communicators without some of the ranks.
#include <set>

#include "comm/environment.hpp"
#include "mpi/support/fft_check.hpp"
#include "mpi/support/world.hpp"

namespace weft::test_support {
namespace {

constexpr std::array<Exchange, 3> exchanges_of_layouts = {
    Exchange{.method = Method::collective, .wire_form = WireForm::packed},
    Exchange{.method = Method::collective, .wire_form = WireForm::datatype},
    Exchange{.method = Method::messages, .wire_form = WireForm::packed, .chunks = 2}};

/// Layouts that a user may give: slabs, pencils, bricks, the whole array on one rank, and random
/// boxes. Two have a random memory order.
std::vector<Layout> layouts_of(const Shape& shape, std::int64_t ranks, Random& random) {
  const int dims = static_cast<int>(shape.size());
  std::vector<Layout> layouts;
  for (int axis = 0; axis < dims; ++axis) layouts.push_back(Layout::slab(shape, ranks, axis));
  if (dims > 1) layouts.push_back(Layout::pencil(shape, ranks));
  if (dims > 2) layouts.push_back(Layout::pencil(shape, ranks, 1, 2));
  if (dims > 2) layouts.push_back(Layout::brick(shape, ranks));
  if (dims > 3) layouts.push_back(Layout::grid(shape, process_grids(ranks, dims).front()));
  layouts.push_back(Layout::on_one(shape, ranks, ranks - 1));
  layouts.push_back(Layout::of_boxes(shape, random_boxes(shape, ranks, random)));
  layouts.push_back(
      Layout::of_boxes(shape, random_boxes(shape, ranks, random), random_order(dims, random)));
  layouts.push_back(Layout::slab(shape, ranks).with_order(random_order(dims, random)));
  return layouts;
}

void check_input_and_output(const Shape& shape, Kind kind, const std::vector<int>& axes,
                            std::uint64_t seed) {
  Random random(seed);
  const std::int64_t ranks = size_of(world);
  Problem problem = checked(Problem{.shape = shape, .axes = axes, .kinds = kind, .ranks = ranks});
  problem.has_input = true;
  int number = 0;
  for (const Layout& input : layouts_of(shape, ranks, random))
    for (const OutputChoice choice : {OutputChoice::any, OutputChoice::same, OutputChoice::given}) {
      problem.input = input;
      problem.output_choice = choice;
      const auto outputs = layouts_of(problem.output_shape(), ranks, random);
      problem.output = choice == OutputChoice::given
                           ? outputs[static_cast<std::size_t>(number) * 5 % outputs.size()]
                           : Layout();
      if (same_is_impossible(problem)) continue;
      problem.exchange = exchanges_of_layouts[static_cast<std::size_t>(number) % 3];
      check_case({.problem = problem,
                  .in_place = number % 2 == 1,
                  .backward_first = number % 5 == 0,
                  .slack = number % 4,
                  .seed = seed + static_cast<std::uint64_t>(number)},
                 world);
      ++number;
    }
  EXPECT_GT(number, 10);
}

TEST(FftLayouts, TwoAxes) { check_input_and_output({13, 10}, Kind::c2c, {}, 11); }
TEST(FftLayouts, ThreeAxes) { check_input_and_output({8, 9, 10}, Kind::c2c, {}, 12); }
TEST(FftLayouts, ThreeAxesReal) { check_input_and_output({10, 7, 9}, Kind::r2c, {}, 13); }
TEST(FftLayouts, ThreeAxesRealHalvedFirst) {
  check_input_and_output({12, 7, 5}, Kind::r2c, {2, 0}, 14);
}
TEST(FftLayouts, FourAxes) { check_input_and_output({6, 4, 5, 7}, Kind::c2c, {}, 15); }
TEST(FftLayouts, FourAxesWithBatch) { check_input_and_output({5, 8, 3, 6}, Kind::r2c, {1, 3}, 16); }
TEST(FftLayouts, OneAxis) { check_input_and_output({37}, Kind::c2c, {}, 17); }

/// Every method divides messages whose counts exceed MPI's limit. This test lowers the limit.
TEST(FftLayouts, MessagesBeyondTheLimitAreDivided) {
  int run = 0;
  for (const std::int64_t limit : {1, 5, 64}) {
    comm::set_count_limit(limit);
    for (const Exchange& exchange : exchanges_of_layouts)
      for (const Kind kind : {Kind::c2c, Kind::r2c}) {
        const Problem problem{.shape = {11, 8, 6},
                              .kinds = kind,
                              .ranks = size_of(world),
                              .output_choice = OutputChoice::same,
                              .exchange = exchange};
        check_case({.problem = problem, .in_place = run % 2 == 1, .seed = 5}, world);
        ++run;
      }
  }
  comm::set_count_limit(0);
  EXPECT_EQ(run, 18);
}

/// Halves and thirds of the ranks work at the same time, with plans of their own.
TEST(FftLayouts, PartsOfTheRanksTransformAtTheSameTime) {
  int run = 0;
  for (const int groups : {2, 3}) {
    const int color = rank_of(world) % groups;
    MPI_Comm part = MPI_COMM_NULL;
    MPI_Comm_split(world, color, -rank_of(world), &part);
    for (const Kind kind : {Kind::c2c, Kind::r2c}) {
      const Problem problem{.shape = {9 + color, 8, 6}, .kinds = kind, .ranks = size_of(part)};
      check_case({.problem = problem, .seed = static_cast<std::uint64_t>(color + 1)}, part);
      ++run;
    }
    MPI_Comm_free(&part);
  }
  EXPECT_EQ(run, 4);
}

TEST(FftLayouts, OneRankAloneAgreesWithTheOracle) {
  int run = 0;
  for (const Shape& shape : {Shape{12}, Shape{6, 9}, Shape{4, 5, 6}})
    for (const Kind kind : {Kind::c2c, Kind::r2c}) {
      const Problem problem{.shape = shape, .kinds = kind, .ranks = 1};
      check_case({.problem = problem, .in_place = run % 2 == 1}, MPI_COMM_SELF);
      ++run;
    }
  EXPECT_EQ(run, 6);
}

/// Without a communicator, this process is the only rank.
TEST(FftLayouts, WithoutACommunicatorThisProcessIsTheOnlyRank) {
  Fft<double> fft({.shape = {4}});
  EXPECT_EQ(fft.rank(), 0);
  std::vector<std::complex<double>> x = {1, 2, 3, 4};
  fft.forward(x.data(), x.data());
  EXPECT_EQ(x[0], 10.0);
  EXPECT_EQ(x[1], std::complex<double>(-2, 2));
  EXPECT_EQ(x[2], -2.0);
  EXPECT_EQ(x[3], std::complex<double>(-2, -2));
}

TEST(FftLayouts, TransformsMayTakeTurns) {
  const std::int64_t ranks = size_of(world);
  Case a{.problem = {.shape = {8, 9, 10}, .ranks = ranks}};
  Case b{.problem = {.shape = {10, 6, 7},
                     .kinds = Kind::r2c,
                     .ranks = ranks,
                     .output_choice = OutputChoice::same}};
  Fft<double> first(options_of(a.problem, world));
  Fft<double> second(options_of(b.problem, world));
  Fft<float> third(options_of(b.problem, world));
  for (int turn = 0; turn < 3; ++turn) {
    a.seed = b.seed = static_cast<std::uint64_t>(turn + 1);
    b.in_place = turn == 1;
    CaseCheck<double>(first, a, world).run();
    CaseCheck<double>(second, b, world).run();
    CaseCheck<float>(third, b, world).run();
  }
}

/// Copies share their plan and workspace. They outlive the original and can be moved.
TEST(FftLayouts, CopiesOutliveTheOriginal) {
  const Case c{.problem = {.shape = {6, 5, 4}, .ranks = size_of(world)}};
  auto original = std::make_unique<Fft<double>>(options_of(c.problem, world));
  Fft<double> copy = *original;
  original.reset();
  Fft<double> moved = std::move(copy);
  CaseCheck<double>(moved, c, world).run();
}

}  // namespace
}  // namespace weft::test_support
