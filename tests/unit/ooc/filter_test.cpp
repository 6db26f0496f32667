// Filters of arrays on volumes in memory: their passes, and their results compared with transforms
// of the whole array in long double.
#include <gtest/gtest.h>

#include <cmath>
#include <complex>
#include <numbers>
#include <set>
#include <string>
#include <vector>

#include "ooc/plan/cost.hpp"
#include "ooc/plan/k_pass_planner.hpp"
#include "ooc/plan/pass_plan_json.hpp"
#include "ooc/run/pass_executor.hpp"
#include "support/fake_volume.hpp"
#include "support/ooc_reference.hpp"
#include "support/random_layouts.hpp"
#include "support/seed.hpp"
#include "unit/support/expect_error.hpp"
#include "unit/support/round_prices.hpp"

namespace weft::ooc {
namespace {

using test_support::draw;
using test_support::Exact;
using test_support::expect_error;
using test_support::FakeVolume;
using test_support::Random;
using test_support::random_exact;
using test_support::transform_exact;

using Complex = std::complex<long double>;

std::int64_t power_of_two(int lg) { return std::int64_t{1} << lg; }

std::vector<double> lengths_of(const KPassProblem& problem) {
  std::vector<double> lengths;
  for (const int axis : problem.axes) lengths.push_back(2.5 + axis);
  return lengths;
}

KPassProblem filtered_problem(const Shape& shape, std::vector<int> axes, FilterKind kind,
                              std::vector<double> numbers, std::int64_t memory_bytes) {
  KPassProblem problem{.shape = shape, .axes = std::move(axes)};
  problem.memory_bytes = memory_bytes;
  problem.block_bytes = 128;
  problem.filter = SpectralFilter{.kind = kind, .numbers = std::move(numbers)};
  problem.filter->axis = problem.axes.back();
  problem.filter->lengths = lengths_of(problem);
  return problem;
}

KPassProblem of_reals(KPassProblem problem) {
  problem.real_input = problem.real_output = true;
  return problem;
}

/// Returns the factor of the filter at one index of a whole spectrum, by the definitions.
Complex factor_at(const KPassProblem& problem, const std::vector<std::int64_t>& index) {
  const SpectralFilter& filter = *problem.filter;
  long double square = 0;
  long double derived = 0;
  for (std::size_t i = 0; i < problem.axes.size(); ++i) {
    const auto axis = static_cast<std::size_t>(problem.axes[i]);
    const std::int64_t n = problem.shape[axis];
    std::int64_t k = index[axis];
    if (2 * k >= n) k -= n;
    const long double wave =
        2 * std::numbers::pi_v<long double> * static_cast<long double>(k) / filter.lengths[i];
    square += wave * wave;
    const bool is_nyquist = 2 * index[axis] == n;
    if (problem.axes[i] == filter.axis && !(is_nyquist && filter.order % 2 != 0)) derived = wave;
  }
  switch (filter.kind) {
    case FilterKind::gaussian:
      return std::exp(-square * filter.numbers[0] * filter.numbers[0] / 2);
    case FilterKind::band_pass:
      return std::sqrt(square) >= filter.numbers[0] && std::sqrt(square) <= filter.numbers[1] ? 1
                                                                                              : 0;
    case FilterKind::derivative: {
      Complex product = 1;
      for (std::int64_t i = 0; i < filter.order; ++i) product *= Complex(0, derived);
      return product;
    }
    case FilterKind::laplacian:
      return -square;
    case FilterKind::inverse_laplacian:
      return square == 0 ? 0 : -1 / square;
    case FilterKind::helmholtz:
      return 1 / (filter.numbers[0] + square);
  }
  return 0;
}

Exact filtered_exact(Exact array, const KPassProblem& problem) {
  for (const int axis : problem.axes) transform_exact(array, problem.shape, axis, -1);
  std::vector<std::int64_t> index(problem.shape.size(), 0);
  for (auto& x : array) {
    x *= factor_at(problem, index);
    for (std::size_t axis = index.size(); axis-- > 0;) {
      if (++index[axis] < problem.shape[axis]) break;
      index[axis] = 0;
    }
  }
  for (const int axis : problem.axes) {
    transform_exact(array, problem.shape, axis, 1);
    for (auto& x : array)
      x /= static_cast<long double>(problem.shape[static_cast<std::size_t>(axis)]);
  }
  return array;
}

/// The output of a run, and the bytes that the run moves and holds.
struct FilterRun {
  Exact output;
  std::int64_t read_bytes = 0;
  std::int64_t written_bytes = 0;
  std::int64_t held_bytes = 0;
};

template <class Real>
FilterRun run_filter(const KPassPlan& plan, const Exact& array) {
  const bool real = plan.problem.real_input;
  FakeVolume input(plan.input_bytes());
  FakeVolume output(plan.output_bytes());
  FakeVolume scratch(plan.scratch_bytes);
  FakeVolume& source = plan.problem.in_place ? output : input;
  for (std::size_t i = 0; i < array.size(); ++i) {
    source.as<Real>()[real ? i : 2 * i] = static_cast<Real>(array[i].real());
    if (!real) source.as<Real>()[2 * i + 1] = static_cast<Real>(array[i].imag());
  }
  long double points = 1;
  for (const int axis : plan.problem.axes)
    points *= static_cast<long double>(plan.problem.shape[static_cast<std::size_t>(axis)]);
  FilterRun found;
  found.held_bytes = run_passes(plan, source, output, plan.scratch_bytes > 0 ? &scratch : nullptr,
                                {.scale = 1 / points});
  for (const FakeVolume* each : {&input, &output, &scratch}) {
    found.read_bytes += each->reads().bytes;
    found.written_bytes += each->writes().bytes;
  }
  for (std::size_t i = 0; i < array.size(); ++i)
    found.output.emplace_back(output.as<Real>()[real ? i : 2 * i],
                              real ? 0 : output.as<Real>()[2 * i + 1]);
  return found;
}

void expect_filtered(const KPassPlan& plan, std::uint64_t seed) {
  const KPassProblem& problem = plan.problem;
  const bool single = problem.precision == Precision::f32;
  const Exact array =
      random_exact(volume(problem.shape), static_cast<unsigned>(seed), problem.real_input);
  const FilterRun found = single ? run_filter<float>(plan, array) : run_filter<double>(plan, array);
  const Exact expected = filtered_exact(array, problem);
  // An error of the spectrum is multiplied by up to the largest factor.
  long double largest = 0;
  std::vector<std::int64_t> index(problem.shape.size(), 0);
  for (std::size_t i = 0; i < array.size(); ++i) {
    largest = std::max(largest, std::abs(factor_at(problem, index)));
    for (std::size_t axis = index.size(); axis-- > 0;) {
      if (++index[axis] < problem.shape[axis]) break;
      index[axis] = 0;
    }
  }
  long double error = 0;
  long double norm = 0;
  for (std::size_t i = 0; i < array.size(); ++i) {
    error += std::norm(found.output[i] - expected[i]);
    norm += std::norm(array[i] * largest);
  }
  const double eps = single ? 0x1p-24 : 0x1p-53;
  ASSERT_LE(static_cast<double>(std::sqrt(error)), 40 * eps * static_cast<double>(std::sqrt(norm)))
      << to_string(problem.filter->kind) << " of " << weft::to_string(problem.shape) << " in "
      << plan.passes.size() << " passes, seed " << seed;
  const PassCounts counts = counts_of(plan);
  EXPECT_EQ(found.read_bytes, counts.read_bytes);
  EXPECT_EQ(found.written_bytes, counts.written_bytes - counts.journal_bytes);
  EXPECT_EQ(found.held_bytes, memory_bytes(plan));
  EXPECT_LE(found.held_bytes, problem.memory_bytes);
}

TEST(FilterPasses, k_passes_forward_and_k_backward_share_one) {
  struct Case {
    Shape shape;
    std::vector<int> axes;
    std::int64_t memory_bytes;
    std::size_t passes;
  };
  const std::vector<Case> cases = {{{64, 64}, {0, 1}, power_of_two(20), 1},
                                   {{64, 64}, {0, 1}, power_of_two(15) + power_of_two(14), 3},
                                   {{32, 32, 32}, {0, 1, 2}, 100000, 3},
                                   {{40, 36, 30}, {0, 1, 2}, 27000, 5},
                                   {{power_of_two(12)}, {0}, 40000, 3},
                                   {{power_of_two(16)}, {0}, 30000, 5},
                                   {{5, power_of_two(14), 4}, {1}, 100000, 3}};
  for (const Case& each : cases) {
    const KPassPlan plan = plan_passes(
        filtered_problem(each.shape, each.axes, FilterKind::laplacian, {}, each.memory_bytes));
    ASSERT_EQ(plan.passes.size(), each.passes) << weft::to_string(each.shape);
    const std::int64_t bytes = volume(each.shape) * 16;
    const PassCounts counts = counts_of(plan);
    EXPECT_EQ(counts.read_bytes, bytes * static_cast<std::int64_t>(each.passes));
    EXPECT_EQ(counts.written_bytes, counts.read_bytes);
    EXPECT_EQ(plan.scratch_bytes, 0) << "all passes keep the places of the elements";
    for (std::size_t i = 0; i < each.passes; ++i) {
      EXPECT_EQ(plan.passes[i].filters, 2 * i + 1 == each.passes);
      EXPECT_EQ(plan.passes[i].other_sign, 2 * i + 1 > each.passes);
      EXPECT_EQ(plan.passes[i].radix, plan.passes[each.passes - 1 - i].radix);
    }
  }
}

TEST(FilterPasses, of_reals_move_half_as_many_bytes_at_the_ends) {
  const KPassPlan plan = plan_passes(of_reals(filtered_problem(
      {60, 64}, {0, 1}, FilterKind::gaussian, {0.1}, power_of_two(15) + power_of_two(14))));
  ASSERT_EQ(plan.passes.size(), 3u);
  const std::int64_t reals = 60 * 64 * 8;
  const std::int64_t half_spectrum = 60 * 33 * 16;
  EXPECT_EQ(counts_of(plan).read_bytes, reals + 2 * half_spectrum);
  EXPECT_EQ(counts_of(plan).written_bytes, reals + 2 * half_spectrum);
  EXPECT_EQ(plan.scratch_bytes, half_spectrum);
  EXPECT_EQ(plan.output_bytes(), reals);
}

TEST(FilterPasses, a_pass_that_filters_computes_twice) {
  KPassProblem problem =
      filtered_problem({64, 64}, {0, 1}, FilterKind::laplacian, {}, power_of_two(20));
  const KPassPlan filter = plan_passes(problem);
  problem.filter = std::nullopt;
  const KPassPlan transform = plan_passes(problem);
  const Machine machine = test_support::round_machine();
  const model::DiskAssignment storage{.disks = {test_support::round_disk()}};
  const KPassCost turns = cost_of(filter, machine, storage).passes.at(0);
  const KPassCost passes = cost_of(transform, machine, storage).passes.at(0);
  EXPECT_GT(turns.arithmetic_s, 2 * passes.arithmetic_s);
  EXPECT_GT(turns.memory_s, 2 * passes.memory_s);
  EXPECT_EQ(turns.read_s, passes.read_s);
}

TEST(FilterPasses, places_have_the_digits_in_opposite_order) {
  for (const std::vector<std::int64_t>& radices :
       std::vector<std::vector<std::int64_t>>{{12}, {3, 5}, {2, 3, 4}}) {
    std::set<std::int64_t> seen;
    std::int64_t n = 1;
    for (const std::int64_t radix : radices) n *= radix;
    for (std::int64_t place = 0; place < n; ++place) seen.insert(element_of_place(radices, place));
    EXPECT_EQ(std::ssize(seen), n);
    EXPECT_EQ(*seen.rbegin(), n - 1);
  }
  EXPECT_EQ(element_of_place({3, 5}, 1), 3);  // the last digit counts in steps of the first radix
  EXPECT_EQ(element_of_place({3, 5}, 5), 1);
  EXPECT_EQ(element_of_place({2, 3, 4}, 1), 6);
}

std::vector<SpectralFilter> filters() {
  return {{.kind = FilterKind::gaussian, .numbers = {0.05}},
          {.kind = FilterKind::band_pass, .numbers = {2.0, 30.0}},
          {.kind = FilterKind::derivative, .order = 1},
          {.kind = FilterKind::derivative, .order = 2},
          {.kind = FilterKind::derivative, .order = 3},
          {.kind = FilterKind::laplacian},
          {.kind = FilterKind::inverse_laplacian},
          {.kind = FilterKind::helmholtz, .numbers = {0.7}}};
}

TEST(FilterRun, agrees_with_the_reference) {
  const std::uint64_t seed = test_support::chosen_seed(61);
  Random random(seed);
  std::set<std::size_t> passes;
  int reals = 0, full_reals = 0, split = 0, done = 0;
  for (int i = 0; i < 300; ++i) {
    KPassProblem problem;
    problem.shape.resize(static_cast<std::size_t>(draw(random, 1, 4)));
    const std::int64_t longest = std::array{4000, 200, 30, 12}.at(problem.shape.size() - 1);
    for (auto& n : problem.shape) n = draw(random, 1, longest);
    if (draw(random, 0, 3) == 0)
      problem.shape[static_cast<std::size_t>(draw(random, 0, std::ssize(problem.shape) - 1))] =
          draw(random, 1, 6) * 360;
    if (volume(problem.shape) > 50000) continue;
    for (int axis = 0; axis < std::ssize(problem.shape); ++axis)
      if (draw(random, 0, 3) > 0)
        problem.axes.insert(problem.axes.begin() + draw(random, 0, std::ssize(problem.axes)), axis);
    if (problem.axes.empty()) continue;
    problem.precision = draw(random, 0, 1) ? Precision::f32 : Precision::f64;
    problem.block_bytes = complex_bytes(problem.precision) * draw(random, 1, 12);
    problem.buffers = static_cast<int>(draw(random, 2, 5));
    problem.threads = static_cast<int>(draw(random, 1, 3));
    problem.memory_bytes = power_of_two(static_cast<int>(draw(random, 13, 18)));
    problem.preserve_inputs = draw(random, 0, 1) == 1;
    problem.real_input = problem.real_output = draw(random, 0, 1) == 1;
    problem.in_place = !problem.real_input && draw(random, 0, 3) == 0;
    const auto all = filters();
    problem.filter = all[static_cast<std::size_t>(draw(random, 0, std::ssize(all) - 1))];
    problem.filter->axis = problem.axes.front();
    problem.filter->lengths = lengths_of(problem);
    SCOPED_TRACE("problem " + std::to_string(i) + ", seed " + std::to_string(seed));
    KPassPlan plan;
    try {
      plan = plan_passes(problem);
    } catch (const Error& error) {  // memory too small
      ASSERT_NE(std::string(error.what()).find("bytes are enough"), std::string::npos)
          << error.what();
      continue;
    }
    ASSERT_EQ(plan_from_json(to_json(plan)), plan);
    expect_filtered(plan, seed);
    passes.insert(plan.passes.size());
    ++done;
    reals += problem.real_input ? 1 : 0;
    full_reals += problem.real_input && !plan.passes[0].halves() ? 1 : 0;
    for (const auto& radices : plan.spectrum_radices) split += radices.size() > 1 ? 1 : 0;
  }
  EXPECT_GT(done, 150);
  EXPECT_GT(reals, 50);
  EXPECT_GT(full_reals, 2);  // about 15; a seed drew 8
  EXPECT_GT(split, 20);
  EXPECT_EQ(passes.count(1) + passes.count(3) + passes.count(5), 3u);
}

TEST(FilterRun, of_a_line_in_three_radices_agrees_with_the_reference) {
  for (const bool real : {false, true}) {
    KPassProblem problem =
        filtered_problem({power_of_two(16)}, {0}, FilterKind::derivative, {}, 34000);
    if (real) problem = of_reals(problem);
    const KPassPlan plan = plan_passes(problem);
    ASSERT_EQ(plan.passes.size(), 5u);
    ASSERT_EQ(plan.spectrum_radices[0].size(), 3u);
    expect_filtered(plan, 62);
  }
}

TEST(FilterRun, converts_its_input) {
  KPassProblem problem =
      of_reals(filtered_problem({30, 40}, {0, 1}, FilterKind::gaussian, {0.1}, power_of_two(15)));
  problem.input_type = element_type("<i2");
  const KPassPlan plan = plan_passes(problem);
  FakeVolume input(plan.input_bytes());
  FakeVolume output(plan.output_bytes());
  FakeVolume scratch(plan.scratch_bytes);
  Exact array;
  for (int i = 0; i < 1200; ++i) {
    input.as<std::int16_t>()[i] = static_cast<std::int16_t>(i * i % 701 - 350);
    array.emplace_back(input.as<std::int16_t>()[i]);
  }
  run_passes(plan, input, output, &scratch, {.scale = 1 / 1200.0L});
  const Exact expected = filtered_exact(array, problem);
  for (std::size_t i = 0; i < 1200; ++i)
    ASSERT_NEAR(output.as<double>()[i], static_cast<double>(expected[i].real()), 1e-11) << i;
}

TEST(FilterErrors, have_rule_value_and_remedy) {
  const KPassProblem good =
      filtered_problem({64, 60}, {0, 1}, FilterKind::band_pass, {1, 2}, power_of_two(20));
  const auto refused = [&](auto&& change, const char* text) {
    KPassProblem problem = good;
    change(problem);
    expect_error(ErrorCode::invalid_argument, {text}, [&] { plan_passes(problem); });
  };
  refused([](auto& p) { p.filter->numbers = {2, 1}; }, "band_pass takes low <= high");
  refused([](auto& p) { p.filter->numbers = {-2, -1}; }, "takes high of 0 or more; given -1");
  refused([](auto& p) { p.filter->numbers = {1}; }, "takes 2 numbers; given 1");
  refused([](auto& p) { p.filter->numbers[1] = INFINITY; }, "takes finite numbers; given inf");
  refused([](auto& p) { p.filter->lengths = {1}; }, "one length for each of the 2");
  refused([](auto& p) { p.filter->lengths[1] = 0; }, "finite lengths above 0; given 0");
  refused([](auto& p) { p.real_input = true; }, "reals on both sides or on none");
  refused([](auto& p) { p.axes = {}; }, "a filter transforms at least one axis");
  refused([](auto& p) { p.filter = std::nullopt, p.real_input = p.real_output = true; },
          "a transform has reals on one side");
  refused(
      [](auto& p) {
        p.filter = SpectralFilter{.kind = FilterKind::derivative, .axis = 2, .lengths = {1, 1}};
      },
      "derivative takes a transformed axis; given 2");
  refused(
      [](auto& p) {
        p.filter = SpectralFilter{.kind = FilterKind::derivative, .order = 400, .lengths = {1, 1}};
      },
      "given 400; lower it");
  refused([](auto& p) { p.shape = {60, 4099}, p.memory_bytes = 30000; }, "the prime is 4099");
  refused([](auto& p) { p.memory_bytes = 1000; }, "bytes are enough");
}

}  // namespace
}  // namespace weft::ooc
