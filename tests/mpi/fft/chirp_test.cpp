// One axis, divided among the ranks, as a convolution with a chirp. Compared with the direct DFT of
// the gathered array.
#include <span>

#include "mpi/support/fft_check.hpp"
#include "mpi/support/slow_hand_over.hpp"
#include "mpi/support/world.hpp"
#include "plan/chirp_view.hpp"
#include "plan/fixed_rule.hpp"

namespace weft::test_support {
namespace {

/// Checks a line in both directions, planned by the fixed rule.
void check_chirp(Problem problem, bool in_place = false, std::uint64_t seed = 1) {
  problem.ranks = size_of(world);
  check_case({.problem = problem, .in_place = in_place, .slack = in_place ? 0 : 1, .seed = seed},
             world);
}

/// Returns the plan of a convolution on `busy` ranks, even if the fixed rule would choose another
/// plan. Returns none if the line is too short.
std::optional<Plan> convolution(Problem problem, std::int64_t busy) {
  problem.ranks = size_of(world);
  problem = checked(problem);
  std::vector<Stage> stages = chirp_stages(problem, busy);
  if (stages.empty()) return {};
  return assemble(problem, std::move(stages));
}

/// Checks this plan in both directions. Returns whether the plan exists.
bool check_convolution(const Problem& problem, std::int64_t busy, bool in_place = false,
                       std::uint64_t seed = 1) {
  const std::optional<Plan> plan = convolution(problem, busy);
  if (!plan) return false;
  SCOPED_TRACE(explain(*plan));
  check_case({.problem = problem,
              .in_place = in_place,
              .slack = in_place ? 0 : 1,
              .seed = seed,
              .plan = plan},
             world);
  return true;
}

bool is_convolution(std::int64_t n, Kind kind, OutputChoice output) {
  return make_plan({.shape = {n}, .kinds = kind, .ranks = size_of(world), .output_choice = output})
      .convolves();
}

/// Primes, twice a prime, and a product of two primes.
const std::vector<std::int64_t> prime_lengths{97, 101, 211, 1009, 2 * 499, 17 * 19};

TEST(FftChirp, AgreesWithTheOracle) {
  std::uint64_t seed = 0;
  int convolutions = 0;
  for (const std::int64_t n : prime_lengths)
    for (const Kind kind : {Kind::c2c, Kind::r2c})
      for (const OutputChoice output : {OutputChoice::any, OutputChoice::same}) {
        convolutions += is_convolution(n, kind, output) ? 1 : 0;
        for (const Precision precision : {Precision::f32, Precision::f64}) {
          ++seed;
          check_chirp(
              {.shape = {n}, .kinds = kind, .precision = precision, .output_choice = output},
              seed % 3 == 0, seed);
        }
      }
  // On a few ranks, 2 * 499 and 17 * 19 have suitable factors and need no convolution.
  EXPECT_GE(convolutions, size_of(world) == 1 ? 0 : size_of(world) > 8 ? 8 : 14);
}

TEST(FftChirp, EveryLengthThatIsLongEnoughAgrees) {
  const std::int64_t ranks = size_of(world);
  int checked_ones = 0;
  const std::vector<std::int64_t> long_enough =
      ranks_share_cores_slowly() ? std::vector<std::int64_t>{37}
                                 : std::vector<std::int64_t>{32, 37, 64, 97, 360};
  for (const std::int64_t n : long_enough)
    for (const Kind kind : {Kind::c2c, Kind::r2c})
      for (const bool in_place : {false, true}) {
        const auto seed = static_cast<std::uint64_t>(n);
        checked_ones += check_convolution({.shape = {n}, .kinds = kind}, ranks, in_place, seed);
        // Input and output are on one rank, so any length has a plan.
        Problem ends{.shape = {n}, .kinds = kind, .ranks = ranks, .has_input = true};
        ends.input = Layout::on_one({n}, ranks, ranks - 1);
        ends.output_choice = OutputChoice::given;
        ends.output = Layout::on_one(kind == Kind::r2c ? Shape{n / 2 + 1} : Shape{n}, ranks, 0);
        checked_ones += check_convolution(ends, ranks, in_place, seed);
      }
  if (ranks > 1) {
    EXPECT_GE(checked_ones, 4 * std::ssize(long_enough));
  }
}

TEST(FftChirp, ConvolutionsOnAPartOfTheRanksAgree) {
  if (ranks_share_cores_slowly()) GTEST_SKIP() << slow;
  for (std::int64_t busy = 2; busy < size_of(world); ++busy)
    for (const Kind kind : {Kind::c2c, Kind::r2c})
      for (const bool in_place : {false, true})
        EXPECT_TRUE(check_convolution({.shape = {499}, .kinds = kind}, busy, in_place));
}

TEST(FftChirp, SignsNormsThreadsAndTheWidestPrecisionAgree) {
  if (ranks_share_cores_slowly()) GTEST_SKIP() << slow;
  for (const Kind kind : {Kind::c2c, Kind::r2c})
    for (const int sign : {-1, 1})
      for (const Norm norm : {Norm::none, Norm::ortho, Norm::backward, Norm::forward})
        for (const int threads : {1, 3})
          check_chirp(
              {.shape = {503}, .kinds = kind, .norm = norm, .sign = sign, .threads = threads});
  for (const Kind kind : {Kind::c2c, Kind::r2c})
    for (const int sign : {-1, 1})
      for (const std::int64_t n : {131, 2 * 83})
        check_chirp({.shape = {n},
                     .kinds = kind,
                     .precision = Precision::f80,
                     .norm = Norm::ortho,
                     .sign = sign,
                     .overwrite_input = true});
}

TEST(FftChirp, ALongPrimeAgreesWithTheOracle) {
  for (const Kind kind : {Kind::c2c, Kind::r2c})
    for (const Precision precision : {Precision::f32, Precision::f64})
      check_chirp({.shape = {4099}, .kinds = kind, .precision = precision});
}

/// Every exchange, also by the node memory that these ranks share.
TEST(FftChirp, EveryExchange) {
  if (ranks_share_cores_slowly()) GTEST_SKIP() << slow;
  const Fft<double> any({.shape = {8, 8}, .comm = world});
  const Problem here{
      .shape = {8}, .ranks = size_of(world), .ranks_per_node = any.plan().problem.ranks_per_node};
  for (const Exchange& exchange : all_exchanges(here, 3))
    for (const Kind kind : {Kind::c2c, Kind::r2c}) {
      SCOPED_TRACE(describe(exchange));
      check_chirp({.shape = {317}, .kinds = kind, .exchange = exchange}, kind == Kind::r2c);
    }
  if (size_of(world) == 1) return;  // one rank exchanges nothing
  for (const Exchange& choices : {Exchange{.wire_form = WireForm::packed, .chunks = every_slice},
                                  Exchange{.method = Method::messages, .piece_bytes = 160}})
    for (const Kind kind : {Kind::c2c, Kind::r2c})
      for (const bool in_place : {false, true}) {
        SCOPED_TRACE(describe(choices));
        check_chirp({.shape = {317}, .kinds = kind, .threads = 2, .exchange = choices}, in_place);
      }
}

/// f32 on the wire adds an error of 3e-8 in each of four exchanges. The spectrum of the chirp is
/// never sent, so it adds none.
TEST(FftChirp, FloatsOnTheWire) {
  Fft<double> narrow({.shape = {317},
                      .comm = world,
                      .exchange = {.method = Method::collective, .wire = WirePrecision::f32}});
  Fft<double> exact({.shape = {317}, .comm = world});
  ASSERT_EQ(narrow.input(), exact.input());
  std::vector<std::complex<double>> in(static_cast<std::size_t>(exact.input_elements()));
  for (std::size_t i = 0; i < in.size(); ++i) in[i] = {noise(1, 2 * i), noise(1, 2 * i + 1)};
  std::vector<std::complex<double>> wanted(static_cast<std::size_t>(exact.output_elements()));
  std::vector<std::complex<double>> found(wanted.size());
  exact.forward(in.data(), wanted.data());
  narrow.forward(in.data(), found.data());
  double sums[2] = {0, 0};
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    sums[0] += std::norm(wanted[i]);
    sums[1] += std::norm(wanted[i] - found[i]);
  }
  MPI_Allreduce(MPI_IN_PLACE, sums, 2, MPI_DOUBLE, MPI_SUM, world);
  EXPECT_LT(std::sqrt(sums[1] / sums[0]), 2e-7);
  if (size_of(world) > 1) {
    EXPECT_GT(sums[1], 0);
  }
}

TEST(FftChirp, LayoutsOfTheCallerAgreeWithTheOracle) {
  const std::int64_t ranks = size_of(world);
  for (const Kind kind : {Kind::c2c, Kind::r2c}) {
    // Rows of 16 in the opposite order of the ranks, the last one of a single element.
    const std::int64_t n = 769;
    std::vector<Box> boxes;
    for (std::int64_t rank = ranks - 1; rank >= 0; --rank) {
      const Range part = balanced_part(49, rank, ranks);
      boxes.push_back({{part.lo * 16}, {std::min(n, part.hi * 16)}});
    }
    Problem problem{.shape = {n}, .kinds = kind, .ranks = ranks, .has_input = true};
    problem.input = Layout::of_boxes({n}, boxes);
    EXPECT_EQ(make_plan(problem).convolves(), ranks > 1);
    check_chirp(problem);
    check_chirp(problem, true);
    const Shape output = checked(problem).output_shape();
    problem.output_choice = OutputChoice::given;
    problem.output = Layout::on_one(output, ranks, ranks - 1);
    check_chirp(problem);
    // If the caller's layout cuts rows, there is no view, and one rank transforms the axis.
    problem.output_choice = OutputChoice::any;
    problem.input = Layout::slab({n}, ranks);
    check_chirp(problem);
  }
}

TEST(FftChirp, AWorkspaceOfTheCallerAndManyArraysMayBeUsed) {
  check_case({.problem = {.shape = {331}, .ranks = size_of(world)}, .own_workspace = false}, world);
  using Complex = std::complex<double>;
  for (const Exchange& choices : {Exchange{}, Exchange{.method = Method::messages, .chunks = 2}}) {
    Fft<double> fft({.shape = {331}, .comm = world, .exchange = choices});
    std::vector<std::vector<Complex>> in(3), alone(3), together(3);
    std::vector<const Complex*> from;
    std::vector<Complex*> to;
    for (std::size_t i = 0; i < in.size(); ++i) {
      in[i].resize(static_cast<std::size_t>(fft.input_elements()), {1.0, static_cast<double>(i)});
      alone[i].resize(static_cast<std::size_t>(fft.output_elements()));
      together[i] = alone[i];
      from.push_back(in[i].data());
      to.push_back(together[i].data());
      fft.forward(in[i].data(), alone[i].data());
    }
    fft.forward_many(std::span<const Complex* const>(from), to);
    EXPECT_EQ(alone, together);
  }
}

TEST(FftChirp, PlansOfAModelAgreeWithTheOracle) {
  Case c;
  c.problem = {.shape = {1009}, .ranks = size_of(world)};
  c.machine = shipped_machine("vm-2-cores");
  check_case(c, world);
  int convolutions = 0;
  for (const Plan& plan : candidates(checked(c.problem), *c.machine)) {
    if (!plan.convolves() || convolutions == 3) continue;
    c.plan = plan;
    check_case(c, world);
    ++convolutions;
  }
  if (size_of(world) > 1) {
    EXPECT_GT(convolutions, 0);
  }
}

}  // namespace
}  // namespace weft::test_support
