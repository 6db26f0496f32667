// c2r and r2c of any axes and lengths, and Bluestein's algorithm, on volumes in memory, compared
// with sums by the definition in long double.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <complex>
#include <functional>
#include <numbers>
#include <numeric>

#include "base/smooth.hpp"
#include "ooc/plan/bluestein.hpp"
#include "ooc/plan/k_pass_planner.hpp"
#include "ooc/plan/radices.hpp"
#include "ooc/run/pass_executor.hpp"
#include "support/fake_volume.hpp"
#include "support/random_layouts.hpp"
#include "support/seed.hpp"
#include "unit/support/expect_error.hpp"

namespace weft::ooc {
namespace {

using test_support::draw;
using test_support::expect_error;
using test_support::FakeVolume;
using test_support::Random;
using Number = std::complex<long double>;
using Numbers = std::vector<Number>;

enum class LineOf { c2c, r2c, c2r };
const char* to_string(LineOf kind) {
  return kind == LineOf::c2c ? "c2c" : kind == LineOf::r2c ? "r2c" : "c2r";
}

std::int64_t after(const Shape& shape, int axis) {
  return std::accumulate(shape.begin() + axis + 1, shape.end(), std::int64_t{1},
                         std::multiplies<>());
}

/// Transforms the lines along one axis by the definition.
void transform_axis(Numbers& array, const Shape& shape, int axis, int sign) {
  const std::int64_t n = shape[static_cast<std::size_t>(axis)];
  const std::int64_t step = after(shape, axis);
  Numbers roots;
  for (std::int64_t m = 0; m < n; ++m)
    roots.push_back(
        std::polar(1.0L, 2 * sign * std::numbers::pi_v<long double> * static_cast<long double>(m) /
                             static_cast<long double>(n)));
  Numbers line(static_cast<std::size_t>(n));
  for (std::int64_t k = 0; k < std::ssize(array) / n; ++k) {
    Number* first = array.data() + k / step * step * n + k % step;
    for (std::int64_t i = 0; i < n; ++i) line[static_cast<std::size_t>(i)] = first[i * step];
    for (std::int64_t i = 0; i < n; ++i) {
      Number sum;
      for (std::int64_t j = 0; j < n; ++j)
        sum += line[static_cast<std::size_t>(j)] * roots[static_cast<std::size_t>(i * j % n)];
      first[i * step] = sum;
    }
  }
}

/// Returns the part of an array that a halved axis keeps.
Numbers half_of(const Numbers& array, const KPassProblem& problem) {
  const int axis = problem.axes.back();
  const std::int64_t n = problem.shape[static_cast<std::size_t>(axis)];
  const std::int64_t step = after(problem.shape, axis);
  Numbers half;
  for (std::int64_t k = 0; k < std::ssize(array); ++k)
    if (k / step % n <= n / 2) half.push_back(array[static_cast<std::size_t>(k)]);
  return half;
}

/// Returns random numbers that are exact as floats, so that both precisions have one reference.
Numbers random_array(std::int64_t size, bool reals, unsigned seed) {
  Random random(seed);
  std::uniform_real_distribution<float> uniform(-1, 1);
  Numbers array(static_cast<std::size_t>(size));
  for (auto& x : array) {
    const float re = uniform(random);
    x = {re, reals ? 0 : uniform(random)};
  }
  return array;
}

template <class Real>
void put(FakeVolume& volume, const Numbers& array, bool reals) {
  Real* at = volume.as<Real>();
  for (const Number& x : array) {
    *at++ = static_cast<Real>(x.real());
    if (!reals) *at++ = static_cast<Real>(x.imag());
  }
}

template <class Real>
Numbers taken(FakeVolume& volume, bool reals) {
  const Real* at = volume.as<Real>();
  Numbers array(static_cast<std::size_t>(volume.bytes()) / (reals ? 1 : 2) / sizeof(Real));
  for (Number& x : array) {
    const Real re = *at++;
    x = {re, reals ? 0 : *at++};
  }
  return array;
}

/// Runs a plan. Checks that it moves and holds as many bytes as the plan says.
template <class Real>
Numbers transformed_primes(const KPassPlan& plan, const Numbers& array,
                           const PassOptions& options) {
  FakeVolume input(plan.input_bytes());
  FakeVolume output(plan.output_bytes());
  FakeVolume scratch(plan.scratch_bytes);
  put<Real>(input, array, plan.problem.real_input);
  const std::int64_t held =
      run_passes(plan, input, output, plan.scratch_bytes > 0 ? &scratch : nullptr, options);
  EXPECT_EQ(input.writes().runs, 0);
  PassCounts moved;
  for (const FakeVolume* volume : {&input, &output, &scratch}) {
    moved.read_bytes += volume->reads().bytes;
    moved.written_bytes += volume->writes().bytes;
    moved.read_runs += volume->reads().runs;
    moved.written_runs += volume->writes().runs;
  }
  const PassCounts counts = counts_of(plan);
  EXPECT_EQ(moved.read_bytes, counts.read_bytes);
  EXPECT_EQ(moved.written_bytes, counts.written_bytes);
  EXPECT_EQ(moved.read_runs, counts.read_runs);
  EXPECT_EQ(moved.written_runs, counts.written_runs);
  EXPECT_EQ(held, memory_bytes(plan));
  EXPECT_LE(held, plan.problem.memory_bytes);
  return taken<Real>(output, plan.problem.real_output);
}

double relative_error(const Numbers& found, const Numbers& exact, long double scale) {
  EXPECT_EQ(found.size(), exact.size());
  long double error = 0;
  long double norm = 0;
  for (std::size_t k = 0; k < exact.size(); ++k) {
    error += std::norm(found[k] - exact[k] * scale);
    norm += std::norm(exact[k] * scale);
  }
  return static_cast<double>(std::sqrt(error / norm));
}

/// For c2r, the spectrum of random reals is given. The expected result is N times these reals.
void expect_transform(const KPassPlan& plan, unsigned seed, int sign) {
  const KPassProblem& p = plan.problem;
  Numbers array = random_array(volume(p.shape), p.has_reals(), seed);
  Numbers spectrum = array;
  std::int64_t points = 1;
  for (const int axis : p.axes) {
    transform_axis(spectrum, p.shape, axis, p.real_output ? -sign : sign);
    points *= p.shape[static_cast<std::size_t>(axis)];
  }
  if (p.has_reals()) spectrum = half_of(spectrum, p);
  const auto size = static_cast<double>(points + plan.convolution_points);
  long double scale = 0.75L;
  const PassOptions options{.sign = sign, .scale = scale};
  if (p.real_output) {
    std::swap(array, spectrum);
    scale *= static_cast<long double>(points);
  }
  const bool single = p.precision == Precision::f32;
  const Numbers found = single ? transformed_primes<float>(plan, array, options)
                               : transformed_primes<double>(plan, array, options);
  const double eps = single ? 0x1p-24 : 0x1p-53;
  EXPECT_LT(relative_error(found, spectrum, scale), 4 * eps * std::sqrt(std::log2(2 * size)));
}

KPassProblem problem_of(LineOf kind, Shape shape, std::vector<int> axes, Precision precision) {
  KPassProblem problem{.shape = std::move(shape), .axes = std::move(axes), .precision = precision};
  problem.real_input = kind == LineOf::r2c;
  problem.real_output = kind == LineOf::c2r;
  problem.block_bytes = complex_bytes(precision);
  return problem;
}

/// Returns the plan with the wanted number of passes, or with the largest possible number, by
/// reducing the memory.
KPassPlan plan_with_passes(KPassProblem problem, std::size_t passes) {
  KPassPlan last;
  for (problem.memory_bytes = 1 << 15; problem.memory_bytes > 600;
       problem.memory_bytes = problem.memory_bytes * 15 / 16) {
    try {
      last = plan_passes(problem);
    } catch (const Error&) {
      break;
    }
    if (last.passes.size() >= passes) break;
  }
  return last;
}

TEST(KindsOnDisks, lines_of_every_length_agree_with_the_definition) {
  const std::uint64_t seed = test_support::chosen_seed(51);
  SCOPED_TRACE(test_support::repeated_by(seed));
  std::size_t most = 0;
  int chirps = 0;
  for (const LineOf kind : {LineOf::c2c, LineOf::r2c, LineOf::c2r})
    for (std::int64_t n = 1; n <= 64; ++n)
      for (const Precision precision : {Precision::f32, Precision::f64})
        for (const std::size_t passes : {1u, 2u, 3u}) {
          const KPassPlan plan = plan_with_passes(problem_of(kind, {n}, {0}, precision), passes);
          SCOPED_TRACE(std::string(to_string(kind)) + " of " + std::to_string(n) + ", " +
                       to_string(precision) + ", " + std::to_string(plan.passes.size()) +
                       " passes");
          ASSERT_FALSE(plan.passes.empty());
          most = std::max(most, plan.passes.size());
          chirps += plan.convolution_points > 0 ? 1 : 0;
          expect_transform(plan, seed, n % 3 == 0 ? 1 : -1);
        }
  EXPECT_GT(most, 5u);
  EXPECT_GT(chirps, 200);
}

/// Any axis may be halved, also one between other axes. Memory ranges from room for the whole array
/// down to axes that are divided into radices.
TEST(KindsOnDisks, arrays_of_any_axes_agree_with_the_definition) {
  const std::uint64_t seed = test_support::chosen_seed(52);
  Random random(seed);
  int split_pairs = 0;
  int split_reals = 0;
  int halved = 0;
  for (int i = 0; i < 600; ++i) {
    Shape shape(static_cast<std::size_t>(draw(random, 2, 4)));
    for (auto& n : shape) n = draw(random, 1, std::array{40, 14, 8}.at(shape.size() - 2));
    shape[static_cast<std::size_t>(draw(random, 0, std::ssize(shape) - 1))] *= draw(random, 1, 4);
    std::vector<int> axes = test_support::random_order(static_cast<int>(shape.size()), random);
    axes.resize(static_cast<std::size_t>(draw(random, 1, std::ssize(axes))));
    const auto last = std::find(axes.begin(), axes.end(), static_cast<int>(std::ssize(shape)) - 1);
    if (last != axes.end() && draw(random, 0, 1) == 1) std::iter_swap(last, axes.end() - 1);
    KPassProblem problem =
        problem_of(draw(random, 0, 1) == 1 ? LineOf::r2c : LineOf::c2r, shape, axes,
                   draw(random, 0, 1) == 1 ? Precision::f32 : Precision::f64);
    problem.block_bytes *= draw(random, 1, 3);
    problem.buffers = static_cast<int>(draw(random, 2, 4));
    problem.preserve_inputs = draw(random, 0, 2) == 0;
    const KPassPlan plan = plan_with_passes(problem, static_cast<std::size_t>(draw(random, 1, 5)));
    if (plan.passes.empty()) continue;
    SCOPED_TRACE("problem " + std::to_string(i) + ", seed " + std::to_string(seed));
    for (const KPass& pass : plan.passes) {
      split_pairs += pass.mirrors() ? 1 : 0;
      split_reals += pass.scale == 2 || pass.reads_reals ? 1 : 0;
      halved += pass.halves() ? 1 : 0;
      EXPECT_TRUE(!problem.preserve_inputs || pass.source != pass.target ||
                  pass.source_first != pass.target_first);
    }
    expect_transform(plan, seed, draw(random, 0, 1) == 1 ? 1 : -1);
  }
  EXPECT_GT(split_pairs, 5);  // about 27 on average
  EXPECT_GT(split_reals, 50);
  EXPECT_GT(halved, 50);
}

/// Two spectra differ only in parts that c2r has to ignore.
TEST(KindsOnDisks, c2r_ignores_imaginary_parts_of_the_ends) {
  const std::uint64_t seed = test_support::chosen_seed(53);
  SCOPED_TRACE(test_support::repeated_by(seed));
  for (const std::int64_t n :
       {std::int64_t{64}, std::int64_t{60}, std::int64_t{45}, std::int64_t{62}, std::int64_t{59}})
    for (const std::size_t passes : {1u, 2u}) {
      const KPassPlan plan =
          plan_with_passes(problem_of(LineOf::c2r, {n}, {0}, Precision::f64), passes);
      SCOPED_TRACE(std::to_string(n) + " points, " + std::to_string(plan.passes.size()) +
                   " passes");
      Numbers spectrum = random_array(n / 2 + 1, false, seed);
      const Numbers one = transformed_primes<double>(plan, spectrum, {.sign = 1});
      spectrum.front() += Number(0, 7);
      if (n % 2 == 0) spectrum.back() += Number(0, -5);
      const Numbers other = transformed_primes<double>(plan, spectrum, {.sign = 1});
      EXPECT_LT(relative_error(one, other, 1), 1e-14);
    }
}

TEST(ChirpOnDisks, takes_the_predicted_passes_bytes_and_space) {
  const std::uint64_t seed = test_support::chosen_seed(54);
  SCOPED_TRACE(test_support::repeated_by(seed));
  const std::int64_t n = 4099;
  const std::int64_t points = 8640;  // the smallest number from 2n - 1 on with factors 2, 3 and 5
                                     // only
  for (const std::int64_t k : {2, 3})
    for (const bool keep : {false, true}) {
      KPassProblem problem = problem_of(LineOf::c2c, {n}, {0}, Precision::f64);
      problem.block_bytes = 4 * 16;
      problem.memory_bytes = k == 2 ? 64 << 10 : 24 << 10;
      problem.preserve_inputs = keep;
      const KPassPlan plan = plan_passes(problem);
      SCOPED_TRACE(std::to_string(k) + " radices");
      ASSERT_EQ(plan.convolution_points, points);
      ASSERT_EQ(std::ssize(plan.passes), 3 * k - 1);
      const PassCounts counts = counts_of(plan);
      EXPECT_EQ(counts.read_bytes, 16 * (n + (3 * k - 2) * points));
      EXPECT_EQ(counts.written_bytes, 16 * (n + (3 * k - 2) * points));
      const std::int64_t arrays = keep ? 3 : 2;
      EXPECT_GE(plan.scratch_bytes, arrays * 16 * points);
      EXPECT_LT(plan.scratch_bytes, arrays * (16 * points + 4096));
      for (const KPass& pass : plan.passes)
        EXPECT_TRUE(!keep || pass.source != pass.target || pass.source_first != pass.target_first);
      expect_transform(plan, seed, keep ? 1 : -1);
    }
}

TEST(ChirpOnDisks, takes_reals_in_both_precisions) {
  const std::uint64_t seed = test_support::chosen_seed(55);
  SCOPED_TRACE(test_support::repeated_by(seed));
  for (const LineOf kind : {LineOf::r2c, LineOf::c2r})
    for (const Precision precision : {Precision::f32, Precision::f64})
      for (const std::int64_t n : {std::int64_t{1009}, std::int64_t{2 * 509}}) {
        KPassProblem problem = problem_of(kind, {n}, {0}, precision);
        problem.memory_bytes = 12 << 10;
        problem.block_bytes *= 2;
        const KPassPlan plan = plan_passes(problem);
        SCOPED_TRACE(std::string(to_string(kind)) + " of " + std::to_string(n));
        ASSERT_GT(plan.convolution_points, 0);
        expect_transform(plan, seed, 1);
      }
}

/// The length is prime, and all energy is in one bin. If j^2 in the chirp overflowed or lost bits,
/// energy would spread.
TEST(ChirpOnDisks, a_single_tone_is_one_bin) {
  const std::int64_t n = 100003;
  const std::int64_t bin = n - 2;
  KPassProblem problem = problem_of(LineOf::c2c, {n}, {0}, Precision::f64);
  problem.memory_bytes = 256 << 10;
  problem.block_bytes = 8 * 16;
  const KPassPlan plan = plan_passes(problem);
  ASSERT_GT(plan.convolution_points, 0);
  Numbers tone;
  for (std::int64_t j = 0; j < n; ++j)
    tone.push_back(std::polar(1.0L, 2 * std::numbers::pi_v<long double> *
                                        static_cast<long double>(j * bin % n) /
                                        static_cast<long double>(n)));
  const Numbers found = transformed_primes<double>(plan, tone, {});
  for (std::int64_t k = 0; k < n; ++k)
    ASSERT_LT(std::abs(found[static_cast<std::size_t>(k)] - Number(k == bin ? n : 0)),
              static_cast<long double>(n) * 1e-13L)
        << k;
}

TEST(ChirpOnDisks, smooth_lengths_are_the_smallest) {
  for (std::int64_t n = 1; n < 3000; ++n) {
    std::int64_t expected = n;
    while (expected > 1 && prime_factors(expected).back() > 5) ++expected;
    ASSERT_EQ(smooth_length(n), expected) << n;
  }
  EXPECT_EQ(smooth_length((std::int64_t{1} << 41) - 1), std::int64_t{1} << 41);
}

TEST(KindsOnDisks, threads_change_no_bit) {
  const std::uint64_t seed = test_support::chosen_seed(57);
  SCOPED_TRACE(test_support::repeated_by(seed));
  for (const auto& [kind, n] : {std::pair{LineOf::r2c, 4096},
                                {LineOf::c2r, 4096},
                                {LineOf::c2r, 4095},
                                {LineOf::c2c, 4099}}) {
    KPassProblem problem = problem_of(kind, {n}, {0}, Precision::f64);
    problem.memory_bytes = 64 << 10;
    problem.threads = 2;
    KPassPlan plan = plan_passes(problem);
    ASSERT_GT(plan.passes.size(), 1u);
    std::vector<Numbers> found;
    for (plan.problem.threads = 1; plan.problem.threads <= 2; ++plan.problem.threads) {
      const auto size = volume(kind == LineOf::r2c ? problem.shape : complex_shape(problem));
      found.push_back(transformed_primes<double>(
          plan, random_array(size, kind == LineOf::r2c, seed), {.sign = 1}));
    }
    EXPECT_EQ(found[0], found[1]) << to_string(kind) << " of " << n;
  }
}

/// The planes of the cube fit in memory. For r2c the half spectrum fits in the output. For c2r it
/// is larger than the output, so scratch space is needed.
TEST(KindsOnDisks, a_cube_of_reals_takes_two_passes) {
  for (const LineOf kind : {LineOf::r2c, LineOf::c2r}) {
    KPassProblem problem = problem_of(kind, {45, 32, 27}, {0, 1, 2}, Precision::f64);
    problem.block_bytes = 16 * 8;
    problem.memory_bytes = 4 * 32 * 14 * 16 * 3 / 2;
    const KPassPlan plan = plan_passes(problem);
    ASSERT_EQ(plan.passes.size(), 2u);
    EXPECT_EQ(plan.input_bytes(), (kind == LineOf::r2c ? 45 * 32 * 27 * 8 : 45 * 32 * 14 * 16));
    EXPECT_EQ(plan.scratch_bytes, kind == LineOf::r2c ? 0 : plan.input_bytes());
    EXPECT_EQ(counts_of(plan).read_bytes + counts_of(plan).written_bytes,
              45 * 32 * (27 * 8 + 3 * 14 * 16));
    expect_transform(plan, 56, -1);
  }
}

TEST(KindsOnDisks, problems_that_memory_cannot_hold_are_refused) {
  KPassProblem problem = problem_of(LineOf::r2c, {3, 2003}, {0, 1}, Precision::f64);
  problem.memory_bytes = 8 << 10;
  problem.block_bytes = 64;
  expect_error(ErrorCode::invalid_argument, {"prime is 2003", "Bluestein", "one axis", "enough"},
               [&] { plan_passes(problem); });
  problem = problem_of(LineOf::c2r, {2003}, {0}, Precision::f64);
  problem.memory_bytes = 4 << 10;
  problem.block_bytes = 1 << 10;
  expect_error(ErrorCode::invalid_argument, {"4096 bytes of memory", "; 65536 bytes are enough"},
               [&] { plan_passes(problem); });
}

}  // namespace
}  // namespace weft::ooc
