// One axis that is divided among the ranks, compared with the direct DFT of the gathered array.
#include "mpi/support/fft_check.hpp"
#include "mpi/support/world.hpp"

namespace weft::test_support {
namespace {

/// Checks a line in both directions.
void check_line(Problem problem, bool in_place = false, std::uint64_t seed = 1) {
  problem.ranks = size_of(world);
  check_case({.problem = problem, .in_place = in_place, .slack = in_place ? 0 : 1, .seed = seed},
             world);
}

bool is_divided(std::int64_t n, OutputChoice output) {
  return !make_plan({.shape = {n}, .ranks = size_of(world), .output_choice = output})
              .view()
              .empty();
}

/// Powers of two, of 3 and 5, and lengths whose rows are not a multiple of the ranks.
const std::vector<std::int64_t> lengths{1024, 2025, 729, 1260, 144};

TEST(FftLine, AgreesWithTheOracle) {
  std::uint64_t seed = 0;
  for (const std::int64_t n : lengths)
    for (const OutputChoice output : {OutputChoice::any, OutputChoice::same}) {
      // If 1260 is a product of two factors, their common divisor is at most 6 (30 * 42).
      EXPECT_EQ(is_divided(n, output), size_of(world) > 1 && (n != 1260 || size_of(world) <= 6 ||
                                                              output == OutputChoice::any));
      for (const Precision precision : {Precision::f32, Precision::f64})
        for (const bool in_place : {false, true})
          check_line({.shape = {n}, .precision = precision, .output_choice = output}, in_place,
                     ++seed);
    }
}

TEST(FftLine, SignsNormsThreadsAndTheWidestPrecisionAgree) {
  for (const int sign : {-1, 1})
    for (const Norm norm : {Norm::none, Norm::ortho, Norm::backward, Norm::forward})
      for (const int threads : {1, 3})
        check_line({.shape = {1024}, .norm = norm, .sign = sign, .threads = threads});
  check_line({.shape = {225}, .precision = Precision::f80, .output_choice = OutputChoice::same});
  check_line({.shape = {240}, .precision = Precision::f80, .sign = 1, .overwrite_input = true});
}

TEST(FftLine, RealsAgreeWithTheOracle) {
  std::uint64_t seed = 100;
  for (const std::int64_t n : {1024, 2025, 1260, 144, 1155, 1018})
    for (const Precision precision : {Precision::f32, Precision::f64})
      for (const bool in_place : {false, true})
        for (const int sign : {-1, 1})
          check_line({.shape = {n}, .kinds = Kind::r2c, .precision = precision, .sign = sign},
                     in_place, ++seed);
  const Problem long_double{
      .shape = {225}, .kinds = Kind::r2c, .precision = Precision::f80, .norm = Norm::ortho};
  check_line(long_double);
  EXPECT_EQ(
      make_plan({.shape = {1155}, .kinds = Kind::r2c, .ranks = size_of(world)}).view().empty(),
      size_of(world) == 1);
}

/// Numbers of rows and columns are even and odd. 75 and 18 points have too few rows for most
/// numbers of ranks.
TEST(FftLine, RealsInNaturalOrderAgreeWithTheOracle) {
  const std::int64_t ranks = size_of(world);
  std::uint64_t seed = 200;
  for (const std::int64_t n : {1024, 2025, 1260, 1155, 1018, 784, 75, 18})
    for (const Precision precision : {Precision::f32, Precision::f64})
      for (const bool in_place : {false, true})
        for (const int sign : {-1, 1})
          check_line({.shape = {n},
                      .kinds = Kind::r2c,
                      .precision = precision,
                      .output_choice = OutputChoice::same,
                      .sign = sign},
                     in_place, ++seed);
  for (const Norm norm : {Norm::none, Norm::ortho, Norm::backward, Norm::forward})
    for (const std::int64_t n : {224, 225})
      check_line({.shape = {n},
                  .kinds = Kind::r2c,
                  .precision = Precision::f80,
                  .output_choice = OutputChoice::same,
                  .norm = norm,
                  .threads = 3,
                  .overwrite_input = true});
  EXPECT_EQ(make_plan({.shape = {2025},
                       .kinds = Kind::r2c,
                       .ranks = ranks,
                       .output_choice = OutputChoice::same})
                .view()
                .empty(),
            ranks == 1);
}

TEST(FftLine, RealsInNaturalOrderAgreeByEveryExchange) {
  const Problem here{.shape = {8}, .kinds = Kind::r2c, .ranks = size_of(world)};
  for (Exchange exchange : all_exchanges(here, 3))
    for (const bool in_place : {false, true}) {
      SCOPED_TRACE(describe(exchange));
      check_line({.shape = {in_place ? 675 : 900},
                  .kinds = Kind::r2c,
                  .output_choice = OutputChoice::same,
                  .exchange = exchange},
                 in_place);
    }
  if (size_of(world) == 1) return;  // one rank exchanges nothing
  for (const Exchange& choices : {Exchange{.method = Method::shared},
                                  Exchange{.wire_form = WireForm::packed, .chunks = every_slice},
                                  Exchange{.method = Method::messages, .piece_bytes = 160}}) {
    SCOPED_TRACE(describe(choices));
    check_line({.shape = {900},
                .kinds = Kind::r2c,
                .output_choice = OutputChoice::same,
                .threads = 2,
                .exchange = choices});
  }
}

/// Rows of 16 points. Ranks have different numbers of rows, in reverse order, and the last rank has
/// none.
TEST(FftLine, HalfSpectraMayHaveTheLayoutOfTheCaller) {
  const std::int64_t ranks = size_of(world);
  for (const std::int64_t n2 : {48, 47}) {
    const std::int64_t half = 16 * n2 / 2 + 1;
    std::vector<Box> boxes(static_cast<std::size_t>(ranks), Box{{0}, {0}});
    const std::int64_t busy = std::max<std::int64_t>(1, ranks - 1);
    for (std::int64_t rank = 0; rank < busy; ++rank) {
      const Range rows = balanced_part((n2 + 1) / 2, busy - 1 - rank, busy);
      boxes[static_cast<std::size_t>(rank)] = {{rows.lo * 16}, {rank == 0 ? half : rows.hi * 16}};
    }
    Problem problem{.shape = {16 * n2},
                    .kinds = Kind::r2c,
                    .output_choice = OutputChoice::given,
                    .output = Layout::of_boxes({half}, boxes)};
    for (const bool in_place : {false, true}) {
      check_line(problem, in_place);
      problem.exchange.method = Method::collective;
      check_line(problem, in_place);
      problem.exchange = {};
    }
    problem.output = Layout::on_one({half}, ranks, ranks - 1);
    check_line(problem);
    // If the caller's layout cuts rows, there is no view, and one rank transforms the axis.
    problem.output = Layout::slab({half}, ranks);
    check_line(problem);
  }
  Problem same{.shape = {960}, .kinds = Kind::r2c, .has_input = true};
  same.input = Layout::slab({960}, ranks);
  same.output_choice = OutputChoice::same;
  check_line(same);
}

TEST(FftLine, RealsAgreeByEveryExchange) {
  const Problem here{.shape = {8}, .kinds = Kind::r2c, .ranks = size_of(world)};
  for (Exchange exchange : all_exchanges(here, 3))
    for (const bool in_place : {false, true}) {
      SCOPED_TRACE(describe(exchange));
      check_line({.shape = {900}, .kinds = Kind::r2c, .exchange = exchange}, in_place);
    }
  Problem problem{.shape = {900}, .kinds = Kind::r2c, .has_input = true};
  problem.input = Layout::on_one({900}, size_of(world), size_of(world) - 1);
  check_line(problem);
}

TEST(FftLine, ComplexNumbersAgreeByEveryExchange) {
  const Problem here{.shape = {8}, .ranks = size_of(world)};
  for (Exchange exchange : all_exchanges(here, 3))
    for (const OutputChoice output : {OutputChoice::any, OutputChoice::same})
      for (const bool in_place : {false, true}) {
        SCOPED_TRACE(describe(exchange));
        check_line({.shape = {900}, .output_choice = output, .exchange = exchange}, in_place);
      }
  for (const Exchange& choices :
       {Exchange{.method = Method::shared}, Exchange{.nodes = NodeUse::separate},
        Exchange{.wire_form = WireForm::packed, .chunks = every_slice},
        Exchange{.method = Method::messages, .piece_bytes = 160}}) {
    if (size_of(world) == 1) break;  // one rank exchanges nothing
    if (choices.nodes == NodeUse::separate) continue;
    SCOPED_TRACE(describe(choices));
    check_line({.shape = {900}, .threads = 2, .exchange = choices});
  }
}

TEST(FftLine, LayoutsOfTheCallerAgreeWithTheOracle) {
  const std::int64_t ranks = size_of(world);
  // Rows of 16 points, in the reverse order of ranks. The first rank has none.
  std::vector<Box> boxes;
  for (std::int64_t rank = ranks - 1; rank >= 0; --rank) {
    const Range part = balanced_part(48, std::max<std::int64_t>(0, rank), ranks);
    boxes.push_back({{part.lo * 16}, {part.hi * 16}});
  }
  Problem problem{.shape = {768}, .has_input = true};
  problem.input = Layout::of_boxes({768}, boxes);
  for (const OutputChoice output : {OutputChoice::any, OutputChoice::same}) {
    problem.output_choice = output;
    check_line(problem);
    check_line(problem, true);
  }
  problem.input = Layout::on_one({768}, ranks, ranks - 1);
  problem.output_choice = OutputChoice::given;
  problem.output = Layout::on_one({768}, ranks, 0);
  check_line(problem);
  // If the caller's layout cuts rows, there is no view, and one rank transforms the axis.
  problem.output_choice = OutputChoice::same;
  problem.shape = {770};
  problem.input = Layout::slab({770}, ranks);
  check_line(problem);
}

TEST(FftLine, PlansOfAModelAgreeWithTheOracle) {
  const std::int64_t ranks = size_of(world);
  Case c;
  c.problem = {.shape = {900}, .ranks = ranks};
  c.machine = shipped_machine("vm-2-cores");
  check_case(c, world);
  // Plans that use only some of the ranks, even if the model would not choose them.
  int divided = 0;
  for (const Plan& plan : candidates(checked(c.problem), *c.machine)) {
    if (plan.view().empty() || plan.input().empty_ranks() == 0 || divided == 3) continue;
    c.plan = plan;
    check_case(c, world);
    ++divided;
  }
  if (ranks > 2) {
    EXPECT_GT(divided, 0);
  }
}

}  // namespace
}  // namespace weft::test_support
