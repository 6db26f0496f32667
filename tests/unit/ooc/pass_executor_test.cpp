// k-pass transforms of arrays on volumes in memory, compared with FFTW in long double and with the
// definition.
#include "ooc/run/pass_executor.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <complex>
#include <numbers>
#include <numeric>

#include "base/memory.hpp"
#include "ooc/plan/k_pass_planner.hpp"
#include "support/fake_volume.hpp"
#include "support/line_oracle.hpp"
#include "support/ooc_reference.hpp"
#include "support/random_layouts.hpp"
#include "support/seed.hpp"
#include "unit/support/expect_error.hpp"

namespace weft::ooc {
namespace {

using test_support::draw;
using test_support::Exact;
using test_support::expect_error;
using test_support::FakeVolume;
using test_support::Random;
using test_support::random_exact;
using test_support::transform_exact;

std::int64_t two_to(int lg) { return std::int64_t{1} << lg; }

/// The other tests compare with this reference.
TEST(Reference, OfLinesIsTheDefinition) {
  const std::uint64_t seed = test_support::chosen_seed(3);
  SCOPED_TRACE(test_support::repeated_by(seed));
  for (const std::int64_t n : {1, 2, 3, 7, 16, 23})
    for (const int sign : {-1, 1}) {
      const Exact given = random_exact(2 * n, seed, false);
      Exact found = given;
      transform_exact(found, {2, n}, 1, sign);
      for (std::int64_t line = 0; line < 2; ++line) {
        std::vector<kernel::WideComplex> x;
        for (std::int64_t i = 0; i < n; ++i) {
          const auto& point = given[static_cast<std::size_t>(line * n + i)];
          x.push_back({point.real(), point.imag()});
        }
        const auto y = kernel::direct_dft(x, sign < 0);
        for (std::int64_t i = 0; i < n; ++i) {
          const auto& point = found[static_cast<std::size_t>(line * n + i)];
          const auto& wide = y[static_cast<std::size_t>(i)];
          EXPECT_NEAR(static_cast<double>(point.real() - static_cast<long double>(wide.re)), 0,
                      1e-17);
          EXPECT_NEAR(static_cast<double>(point.imag() - static_cast<long double>(wide.im)), 0,
                      1e-17);
        }
      }
    }
}

/// The results of a run, and the bytes that the run held and moved.
struct Done {
  Exact output;
  std::int64_t held_bytes = 0;
  PassCounts moved;
};

template <class Real>
Done transformed(const KPassPlan& plan, const Exact& array, const PassOptions& options) {
  FakeVolume input(plan.input_bytes());
  FakeVolume output(plan.output_bytes());
  FakeVolume scratch(plan.scratch_bytes);
  std::vector<Real> before;
  for (const auto& x : array) {
    before.push_back(static_cast<Real>(x.real()));
    if (!plan.problem.real_input) before.push_back(static_cast<Real>(x.imag()));
  }
  std::copy(before.begin(), before.end(), input.as<Real>());
  Done done;
  done.held_bytes =
      run_passes(plan, input, output, plan.scratch_bytes > 0 ? &scratch : nullptr, options);
  EXPECT_TRUE(std::equal(before.begin(), before.end(), input.as<Real>())) << "the input changed";
  EXPECT_EQ(input.writes().runs, 0);
  std::int64_t shortest = 0;
  for (const FakeVolume* volume : {&input, &output, &scratch}) {
    EXPECT_EQ(volume->under_way(), 0u);
    done.moved.read_bytes += volume->reads().bytes;
    done.moved.written_bytes += volume->writes().bytes;
    done.moved.read_runs += volume->reads().runs;
    done.moved.written_runs += volume->writes().runs;
    done.moved.panels += volume->writes().transfers;
    if (volume->shortest_run() > 0 && (shortest == 0 || volume->shortest_run() < shortest))
      shortest = volume->shortest_run();
  }
  done.moved.shortest_run_bytes = shortest;
  const auto results = static_cast<std::size_t>(plan.output_bytes()) / sizeof(std::complex<Real>);
  for (std::size_t i = 0; i < results; ++i)
    done.output.emplace_back(output.as<Real>()[2 * i], output.as<Real>()[2 * i + 1]);
  return done;
}

/// Returns the place of element k in the order of the plan's result.
std::int64_t place_of(const KPassPlan& plan, std::int64_t k) {
  const std::int64_t rows = plan.transposed_rows;
  return k % rows * (volume(plan.problem.shape) / rows) + k / rows;
}

void expect_result(const KPassPlan& plan, unsigned seed, const PassOptions& options) {
  const KPassProblem& p = plan.problem;
  const std::int64_t size = volume(p.shape);
  Exact reference = random_exact(size, seed, false);
  if (p.real_input)
    for (auto& x : reference) x = x.real();
  const bool single = p.precision == Precision::f32;
  const Done done = single ? transformed<float>(plan, reference, options)
                           : transformed<double>(plan, reference, options);
  std::int64_t points = 2;
  for (const int axis : p.axes) {
    transform_exact(reference, p.shape, axis, options.sign);
    points *= p.shape[static_cast<std::size_t>(axis)];
  }
  long double error = 0;
  long double norm = 0;
  const std::int64_t results = p.real_input ? size / 2 + 1 : size;
  for (std::int64_t k = 0; k < results; ++k) {
    const auto exact = reference[static_cast<std::size_t>(k)] * options.scale;
    error += std::norm(done.output[static_cast<std::size_t>(place_of(plan, k))] - exact);
    norm += std::norm(exact);
  }
  const double eps = single ? 0x1p-24 : 0x1p-53;
  EXPECT_LT(static_cast<double>(std::sqrt(error / norm)),
            4 * eps * std::sqrt(std::log2(static_cast<double>(points))));
  const PassCounts counts = counts_of(plan);
  EXPECT_EQ(done.moved.panels, counts.panels);
  EXPECT_EQ(done.moved.read_bytes, counts.read_bytes);
  EXPECT_EQ(done.moved.written_bytes, counts.written_bytes);
  EXPECT_EQ(done.moved.read_runs, counts.read_runs);
  EXPECT_EQ(done.moved.written_runs, counts.written_runs);
  EXPECT_EQ(done.moved.shortest_run_bytes, counts.shortest_run_bytes);
  EXPECT_EQ(done.held_bytes, memory_bytes(plan));
  EXPECT_LE(done.held_bytes, p.memory_bytes);
}

/// Returns a problem of one line of n points, with blocks of 2^lg_block elements and memory of
/// 2^lg_memory elements.
KPassProblem line(std::int64_t n, int lg_memory, int lg_block, Precision precision) {
  KPassProblem problem{.shape = {n}, .axes = {0}, .precision = precision};
  problem.memory_bytes = complex_bytes(precision) << lg_memory;
  problem.block_bytes = complex_bytes(precision) << lg_block;
  return problem;
}

struct Case {
  std::int64_t n;
  int lg_memory, lg_block;
  std::size_t passes;
};

class LinesOnDisks : public testing::TestWithParam<Case> {};

TEST_P(LinesOnDisks, agree_with_the_reference) {
  const Case& c = GetParam();
  const std::uint64_t seed = test_support::chosen_seed(41);
  for (const Precision precision : {Precision::f32, Precision::f64})
    for (const int sign : {-1, 1}) {
      const KPassPlan plan = plan_passes(line(c.n, c.lg_memory, c.lg_block, precision));
      if (precision == Precision::f64) {
        EXPECT_EQ(plan.passes.size(), c.passes);
      }
      SCOPED_TRACE(std::to_string(c.n) + " points, " + to_string(precision) + ", sign " +
                   std::to_string(sign) + ", " + std::to_string(plan.passes.size()) +
                   " passes, seed " + std::to_string(seed));
      const long double scale = sign > 0 ? 1 / static_cast<long double>(c.n) : 1;
      expect_result(plan, seed, {.sign = sign, .scale = scale});
    }
}

INSTANTIATE_TEST_SUITE_P(Passes, LinesOnDisks,
                         testing::Values(Case{two_to(12), 16, 4, 1},     //
                                         Case{two_to(12), 12, 3, 2},     //
                                         Case{two_to(14), 13, 5, 3},     //
                                         Case{two_to(16), 14, 3, 2},     //
                                         Case{two_to(20), 13, 3, 3},     //
                                         Case{two_to(20), 13, 5, 4},     //
                                         Case{59049, 14, 3, 2},          // 3^10
                                         Case{27 * 3125, 12, 3, 3},      //
                                         Case{30030, 14, 3, 2},          //
                                         Case{30030, 12, 4, 3},          //
                                         Case{2 * 101 * 103, 13, 3, 2},  //
                                         Case{1, 10, 2, 1},              //
                                         Case{7, 10, 2, 1}));

TEST(LineOnDisks, transposed_is_k1_major) {
  const std::uint64_t seed = test_support::chosen_seed(42);
  SCOPED_TRACE(test_support::repeated_by(seed));
  for (const Precision precision : {Precision::f32, Precision::f64})
    for (const std::int64_t n : {two_to(16), two_to(18), std::int64_t{30030}}) {
      KPassProblem problem = line(n, 14, 4, precision);
      problem.order = OutputOrder::transposed;
      const KPassPlan plan = plan_passes(problem);
      ASSERT_EQ(plan.passes.size(), 2u);
      ASSERT_GT(plan.transposed_rows, 1);
      SCOPED_TRACE(std::to_string(n) + " points");
      expect_result(plan, seed, {.sign = n == 30030 ? 1 : -1, .scale = 0.5L});
    }
}

TEST(LineOnDisks, reals_become_half_a_spectrum) {
  const std::uint64_t seed = test_support::chosen_seed(45);
  SCOPED_TRACE(test_support::repeated_by(seed));
  struct Reals {
    std::int64_t n;
    int lg_memory, lg_block;
    std::size_t passes;
  };
  for (const Reals& c :
       {Reals{2, 10, 2, 1}, Reals{two_to(12), 16, 4, 1}, Reals{two_to(13), 13, 3, 2},
        Reals{two_to(17), 13, 3, 3}, Reals{2 * 59049, 14, 3, 3}, Reals{30030, 14, 3, 2},
        Reals{4 * 3125 * 9, 12, 3, 3}})
    for (const Precision precision : {Precision::f32, Precision::f64})
      for (const int sign : {-1, 1}) {
        KPassProblem problem = line(c.n, c.lg_memory, c.lg_block, precision);
        problem.real_input = true;
        problem.threads = sign > 0 ? 2 : 1;
        const KPassPlan plan = plan_passes(problem);
        SCOPED_TRACE(std::to_string(c.n) + " points, " + std::to_string(plan.passes.size()) +
                     " passes, sign " + std::to_string(sign));
        if (precision == Precision::f64 && sign < 0) {
          EXPECT_EQ(plan.passes.size(), c.passes);
        }
        expect_result(plan, seed, {.sign = sign, .scale = 0.25L});
      }
}

/// All energy is in one bin near the end. If an exponent overflowed anywhere, the result would be
/// wrong.
TEST(LineOnDisks, a_single_tone_is_one_bin) {
  const std::int64_t n = two_to(20);
  const std::int64_t bin = n - 3;
  const KPassPlan plan = plan_passes(line(n, 13, 3, Precision::f64));
  ASSERT_EQ(plan.passes.size(), 3u);
  Exact tone(static_cast<std::size_t>(n));
  for (std::int64_t j = 0; j < n; ++j) {
    const auto angle = 2 * std::numbers::pi_v<long double> * static_cast<long double>(j * bin % n) /
                       static_cast<long double>(n);
    tone[static_cast<std::size_t>(j)] = {std::cos(angle), std::sin(angle)};
  }
  const Done done = transformed<double>(plan, tone, {});
  for (std::int64_t k = 0; k < n; ++k) {
    const double expected = k == bin ? static_cast<double>(n) : 0;
    ASSERT_LT(
        std::abs(done.output[static_cast<std::size_t>(k)] - std::complex<long double>(expected)),
        static_cast<double>(n) * 1e-14)
        << k;
  }
}

TEST(ArraysOnDisks, axes_in_separate_passes_give_the_same_result) {
  const std::uint64_t seed = test_support::chosen_seed(46);
  SCOPED_TRACE(test_support::repeated_by(seed));
  for (const Precision precision : {Precision::f32, Precision::f64})
    for (const std::vector<std::size_t>& groups :
         std::vector<std::vector<std::size_t>>{{1, 1, 1}, {1, 2}, {2, 1}, {1}}) {
      KPassProblem problem{.shape = {15, 32, 20}, .axes = {0, 1, 2}, .precision = precision};
      problem.memory_bytes = complex_bytes(precision) << 13;
      problem.block_bytes = complex_bytes(precision);
      problem.groups = groups;
      const KPassPlan plan = plan_passes(problem);
      EXPECT_EQ(plan.passes.size(), groups.size() == 3 ? 3u : 2u);
      EXPECT_EQ(plan.passes[0].radix, groups[0] == 1 ? 20 : 20 * 32);
      SCOPED_TRACE(std::to_string(groups[0]) + " axes first");
      expect_result(plan, seed, {});
    }
}

KPassProblem random_run(Random& random) {
  KPassProblem problem;
  problem.shape.resize(static_cast<std::size_t>(draw(random, 1, 4)));
  const std::int64_t longest = std::array{5000, 300, 40, 14}.at(problem.shape.size() - 1);
  for (auto& n : problem.shape) n = draw(random, 1, longest);
  for (int axis = 0; axis < std::ssize(problem.shape); ++axis)
    if (draw(random, 0, 3) > 0) problem.axes.push_back(axis);
  problem.precision = draw(random, 0, 1) ? Precision::f32 : Precision::f64;
  problem.block_bytes = complex_bytes(problem.precision) * draw(random, 1, 20);
  problem.buffers = static_cast<int>(draw(random, 2, 5));
  problem.threads = static_cast<int>(draw(random, 1, 3));
  problem.memory_bytes = two_to(static_cast<int>(draw(random, 13, 20)));
  problem.preserve_inputs = draw(random, 0, 1) == 1;
  return problem;
}

TEST(ArraysOnDisks, agree_with_the_reference) {
  const std::uint64_t seed = test_support::chosen_seed(43);
  Random random(seed);
  std::size_t most = 0;
  int done = 0;
  for (int i = 0; i < 150; ++i) {
    const KPassProblem problem = random_run(random);
    SCOPED_TRACE("problem " + std::to_string(i) + ", seed " + std::to_string(seed));
    KPassPlan plan;
    try {
      plan = plan_passes(problem);
    } catch (const Error&) {  // memory is too small; the tests of plans check this error
      continue;
    }
    most = std::max(most, plan.passes.size());
    ++done;
    expect_result(plan, seed, {.sign = draw(random, 0, 1) ? 1 : -1, .scale = 0.75L});
  }
  EXPECT_GT(done, 80);
  EXPECT_GE(most, 3u);
}

TEST(ArraysOnDisks, rows_longer_than_cache_agree_with_the_reference) {
  for (const int threads : {1, 2}) {
    const KPassPlan plan = plan_passes({.shape = {3, 1 << 19},
                                        .axes = {1},
                                        .memory_bytes = 200 << 20,
                                        .block_bytes = 4096,
                                        .threads = threads});
    expect_result(plan, 31, {.sign = threads == 1 ? -1 : 1, .scale = 0.5});
  }
}

TEST(ArraysOnDisks, a_cube_takes_two_passes) {
  KPassProblem problem{.shape = {45, 32, 27}, .axes = {0, 1, 2}};
  problem.block_bytes = 16 * 8;
  problem.memory_bytes = 4 * 32 * 27 * 16 * 3 / 2;
  for (const bool keep : {false, true}) {
    problem.preserve_inputs = keep;
    const KPassPlan plan = plan_passes(problem);
    ASSERT_EQ(plan.passes.size(), 2u);
    EXPECT_EQ(plan.scratch_bytes > 0, keep);
    expect_result(plan, 44, {});
  }
}

TEST(RunPasses, reads_ahead_while_it_writes) {
  const KPassPlan plan = plan_passes(line(two_to(16), 14, 3, Precision::f64));
  FakeVolume input(plan.output_bytes());
  FakeVolume output(plan.output_bytes());
  run_passes(plan, input, output, nullptr);
  EXPECT_EQ(input.most_under_way(), 1u);
  // The pass in place reads the next panel while one is transformed, except during the last panel.
  EXPECT_EQ(output.writes_beside_a_read(), panel_count(plan.passes[1]) - 1);
  EXPECT_GE(output.most_under_way(), 3u);  // one read, two written
}

TEST(RunPasses, reads_ahead_with_three_buffers_as_soon_as_one_is_written) {
  KPassProblem problem = line(two_to(16), 14, 3, Precision::f64);
  problem.buffers = 3;
  const KPassPlan plan = plan_passes(problem);
  ASSERT_FALSE(plan.passes[0].keeps_order());
  const auto written_beside_a_read = [&](std::int64_t polls) {
    FakeVolume input(plan.output_bytes());
    FakeVolume output(plan.output_bytes());
    output.end_after(polls);
    std::int64_t found = 0;
    output.before_write = [&] { found += input.under_way() > 0 ? 1 : 0; };
    run_passes(plan, input, output, nullptr);
    EXPECT_EQ(input.reads().bytes, plan.output_bytes());
    return found;
  };
  const std::int64_t panels = panel_count(plan.passes[0]);
  ASSERT_GT(panels, 4);
  EXPECT_EQ(written_beside_a_read(0), panels - 1);
  EXPECT_EQ(written_beside_a_read(2), panels - 1);             // a panel has more tiles
  EXPECT_EQ(written_beside_a_read(std::int64_t{1} << 40), 1);  // only the first, because one buffer
                                                               // is free then
}

TEST(RunPasses, reports_its_progress_after_each_panel) {
  const KPassPlan plan = plan_passes(line(two_to(16), 14, 3, Precision::f64));
  FakeVolume input(plan.output_bytes());
  FakeVolume output(plan.output_bytes());
  std::vector<PassProgress> reports;
  run_passes(plan, input, output, nullptr,
             {.on_panel = [&](const PassProgress& progress) { reports.push_back(progress); }});
  ASSERT_EQ(std::ssize(reports), counts_of(plan).panels);
  std::size_t at = 0;
  for (std::size_t pass = 0; pass < plan.passes.size(); ++pass)
    for (std::int64_t k = 1; k <= panel_count(plan.passes[pass]); ++k, ++at) {
      EXPECT_EQ(reports[at].pass, static_cast<std::int64_t>(pass));
      EXPECT_EQ(reports[at].passes, 2);
      EXPECT_EQ(reports[at].panels_done, k);
      EXPECT_EQ(reports[at].panels, panel_count(plan.passes[pass]));
    }
}

TEST(RunPasses, nothing_is_under_way_after_an_error) {
  for (const int buffers : {3, 4}) {
    KPassProblem problem = line(two_to(16), 14, 3, Precision::f64);
    problem.buffers = buffers;
    const KPassPlan plan = plan_passes(problem);
    const std::int64_t panels = panel_count(plan.passes[0]);
    ASSERT_GT(panels, 5);
    using Volume = FakeVolume;
    const auto fail_read = [](Volume& input, Volume&, auto when) { input.fail_wait(when); };
    const auto fail_write = [](Volume&, Volume& output, auto when) { output.fail_wait(when); };
    const auto fail_start = [](Volume&, Volume& output, auto when) { output.fail_write(when); };
    const auto expect_quiet = [&](auto&& fail) {
      for (const std::int64_t when : {std::int64_t{0}, std::int64_t{5}, panels - 1}) {
        FakeVolume input(plan.output_bytes());
        FakeVolume output(plan.output_bytes());
        fail(input, output, when);
        expect_error(ErrorCode::io_failure, {"fails on purpose"},
                     [&] { run_passes(plan, input, output, nullptr); });
        EXPECT_EQ(input.under_way() + output.under_way(), 0u);
      }
    };
    expect_quiet(fail_read);
    expect_quiet(fail_write);
    expect_quiet(fail_start);
    FakeVolume input(plan.output_bytes());
    FakeVolume output(plan.output_bytes());
    const auto stop = [](const PassProgress& progress) {
      if (progress.panels_done == 3) throw Error(ErrorCode::unsupported, "enough");
    };
    expect_error(ErrorCode::unsupported, {"enough"},
                 [&] { run_passes(plan, input, output, nullptr, {.on_panel = stop}); });
    EXPECT_EQ(input.under_way() + output.under_way(), 0u);
  }
}

TEST(RunPasses, takes_the_memory_that_was_predicted) {
  KPassProblem problem = line(two_to(20), 16, 4, Precision::f64);
  const KPassPlan plan = plan_passes(problem);
  FakeVolume input(plan.output_bytes());
  FakeVolume output(plan.output_bytes());
  FakeVolume scratch(plan.scratch_bytes);
  const auto run = [&] {
    run_passes(plan, input, output, plan.scratch_bytes > 0 ? &scratch : nullptr);
  };
  run();  // a first run makes the engine's plans, which are kept
  const std::int64_t before = memory_counters().live_bytes;
  reset_memory_peak();
  run();
  std::int64_t allocated = 0;
  for (const KPass& pass : plan.passes) {
    const PassMemory memory = memory_of(plan, pass);
    allocated = std::max(allocated, memory.panels_bytes + memory.tile_bytes);
  }
  EXPECT_EQ(memory_counters().peak_bytes - before, allocated);
  EXPECT_EQ(memory_counters().live_bytes, before);
  EXPECT_LE(memory_bytes(plan), problem.memory_bytes);
  EXPECT_GT(memory_bytes(plan), problem.memory_bytes / 2);
}

TEST(RunPasses, wrong_volumes_are_refused) {
  const KPassPlan plan = plan_passes(line(two_to(20), 13, 3, Precision::f64));
  ASSERT_GT(plan.scratch_bytes, 0);
  FakeVolume one(plan.output_bytes());
  FakeVolume other(plan.output_bytes());
  FakeVolume small(plan.output_bytes() - 1);
  const auto refused = [&](const std::vector<std::string>& words, auto&&... volumes) {
    expect_error(ErrorCode::invalid_argument, words, [&] { run_passes(plan, volumes...); });
  };
  refused({"scratch", "given 0"}, one, other, static_cast<disk::Volume*>(nullptr));
  refused({"input"}, small, other, &one);
  refused({"output"}, one, small, &other);
  refused({"different"}, one, one, &other);
  refused({"different"}, one, other, &other);
  refused({"sign", "0"}, one, other, nullptr, PassOptions{.sign = 0});
}

}  // namespace
}  // namespace weft::ooc
