// Cosine and sine axes of arrays on disks: their plans, and their results compared with long
// double.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <complex>
#include <set>
#include <string>
#include <vector>

#include "base/kind_words.hpp"
#include "ooc/plan/cost.hpp"
#include "ooc/plan/k_pass_planner.hpp"
#include "ooc/plan/kinds.hpp"
#include "ooc/plan/pass_plan_json.hpp"
#include "ooc/run/pass_executor.hpp"
#include "support/fake_volume.hpp"
#include "support/ooc_reference.hpp"
#include "support/random_layouts.hpp"
#include "support/real_kinds.hpp"
#include "support/seed.hpp"
#include "unit/support/expect_error.hpp"
#include "unit/support/round_prices.hpp"

namespace weft::ooc {
namespace {

using test_support::draw;
using test_support::Exact;
using test_support::expect_error;
using test_support::FakeVolume;
using test_support::invalid;
using test_support::Random;

KPassProblem with_kinds(KPassProblem problem, const Kinds& kinds,
                        Direction direction = Direction::forward, Element element = Element::real) {
  set_kinds(problem, kinds, direction, element);
  return problem;
}

KPassProblem cosine_cube() {
  return {.shape = {96, 80, 50}, .axes = {0, 1, 2}, .memory_bytes = 1 << 20, .block_bytes = 1024};
}

TEST(CosinesOnDisks, RealsStayReals) {
  const KPassPlan plan = plan_passes(with_kinds(cosine_cube(), Kind::dct2));
  EXPECT_EQ(plan.element_bytes, 8);
  EXPECT_EQ(plan.input_bytes(), 96 * 80 * 50 * 8);
  EXPECT_EQ(plan.output_bytes(), plan.input_bytes());
  ASSERT_EQ(plan.passes.size(), 2u);
  std::size_t axes = 0;
  for (const KPass& pass : plan.passes) {
    EXPECT_EQ(counts_of(plan, pass).read_bytes, plan.input_bytes());
    EXPECT_FALSE(pass.reads_reals || pass.writes_reals || pass.halves());
    for (const PanelAxis& axis : pass.axes) EXPECT_EQ(axis.kind, Kind::dct2);
    axes += pass.axes.size();
  }
  EXPECT_EQ(axes, 3u);
}

TEST(CosinesOnDisks, ComplexNumbersHaveTwoParts) {
  const KPassProblem parts =
      with_kinds(cosine_cube(), Kind::dct2, Direction::forward, Element::complex);
  const KPassPlan plan = plan_passes(parts);
  EXPECT_FALSE(parts.has_reals());
  EXPECT_EQ(plan.element_bytes, 16);
  EXPECT_EQ(plan.input_bytes(), 96 * 80 * 50 * 16);
  const auto arithmetic_s = [](const KPassPlan& made) {
    double sum = 0;
    for (const KPassCost& pass :
         cost_of(made, test_support::round_machine(), {.disks = {test_support::round_disk()}})
             .passes)
      sum += pass.arithmetic_s;
    return sum;
  };
  const double of_reals = arithmetic_s(plan_passes(with_kinds(cosine_cube(), Kind::dct2)));
  EXPECT_NEAR(arithmetic_s(plan), 2 * of_reals, 1e-9 * of_reals);
}

TEST(CosinesOnDisks, KindsOfAnInverseAreTheInverses) {
  const Kinds kinds{Kind::dct2, Kind::dst3, Kind::r2c};
  const KPassProblem there = with_kinds(cosine_cube(), kinds);
  EXPECT_TRUE(there.real_input && !there.real_output);
  EXPECT_EQ(kinds_of(there), kinds);
  const KPassProblem back = with_kinds(cosine_cube(), kinds, Direction::backward);
  EXPECT_TRUE(back.real_output && !back.real_input);
  EXPECT_EQ(kinds_of(back), Kinds({Kind::dct3, Kind::dst2, Kind::r2c}));
  EXPECT_EQ(kinds_of(with_kinds(cosine_cube(), Kind::r2c)),
            Kinds({Kind::c2c, Kind::c2c, Kind::r2c}));
  EXPECT_EQ(with_kinds(cosine_cube(), Kind::r2c).halved_axis(), 2);
  EXPECT_EQ(with_kinds(cosine_cube(), {Kind::dct1, Kind::r2c, Kind::dct4}).halved_axis(), 1);
  expect_error(invalid, {"one kind, or one for each of the 3", "given 2"}, [] {
    with_kinds(cosine_cube(), {Kind::dct1, Kind::dct1});
  });
}

TEST(CosinesOnDisks, LinesAreNotDivided) {
  KPassProblem problem = with_kinds({.shape = {4096, 64}, .axes = {0, 1}, .block_bytes = 512},
                                    {Kind::dct2, Kind::dct2});
  problem.memory_bytes = 256 << 10;
  expect_error(invalid,
               {"an axis of kind dct2 is not divided", "a block of each point", "axis 0 has 4096",
                "blocks of 512 bytes", "262144 bytes of memory", "bytes are enough"},
               [&] { plan_passes(problem); });
  problem.kinds[0] = Kind::c2c;
  problem.real_input = problem.real_output = false;
  EXPECT_EQ(plan_passes(problem).passes.size(), 3u);
  // If one line exceeds memory, the plan is refused: neither radices nor Bluestein's algorithm can
  // divide it.
  for (const std::int64_t n : {std::int64_t{1} << 16, std::int64_t{10007}})
    expect_error(invalid, {"an axis of kind dst1 is not divided", "are enough"}, [&] {
      plan_passes(with_kinds(
          {.shape = {n}, .axes = {0}, .memory_bytes = 64 << 10, .block_bytes = 512}, Kind::dst1));
    });
}

TEST(CosinesOnDisks, ImpossibleProblemsAreRefused) {
  const auto refused = [](const std::vector<std::string>& words, const auto& change) {
    expect_error(invalid, words, [&] {
      KPassProblem problem = with_kinds(cosine_cube(), Kind::dct2);
      change(problem);
      plan_passes(problem);
    });
  };
  refused({"at least 2 points", "axis 1"}, [](auto& p) {
    p.kinds[1] = Kind::dct1;
    p.shape[1] = 1;
  });
  refused({"one kind for each", "given 2 for 3"}, [](auto& p) { p.kinds.pop_back(); });
  refused({"at most one axis is r2c"}, [](auto& p) {
    p.kinds[0] = p.kinds[1] = Kind::r2c;
    p.real_output = false;
  });
  refused({"reals become a half spectrum", "c2c, dct2, dct2", "both sides"},
          [](auto& p) { p.kinds[0] = Kind::c2c; });
  refused({"reals become a half spectrum", "one side"}, [](auto& p) { p.real_output = false; });
  refused({"reals become a half spectrum", "no side"}, [](auto& p) {
    p.kinds[0] = Kind::r2c;
    p.real_input = p.real_output = false;
  });
  refused({"filter", "c2c or r2c", "weft filter"}, [](auto& p) {
    p.filter = SpectralFilter{.kind = FilterKind::laplacian, .lengths = {1, 1, 1}};
  });
  refused({"transposed order", "dct2"}, [](auto& p) { p.order = OutputOrder::transposed; });
  refused({"the input of r2c, and of cosines of reals, has reals"},
          [](auto& p) { p.input_type = element_type("<c16"); });
}

TEST(CosinesOnDisks, PlansThatContradictTheirKindsAreRefused) {
  const std::string text = to_json(plan_passes(with_kinds(cosine_cube(), Kind::dct2)));
  EXPECT_EQ(plan_from_json(text), plan_passes(with_kinds(cosine_cube(), Kind::dct2)));
  const auto changed = [&](const std::string& from, const std::string& to, std::size_t after = 0) {
    std::string other = text;
    const std::size_t at = other.find(from, other.find("\"passes\"") * after);
    EXPECT_NE(at, std::string::npos) << from;
    return other.replace(at, from.size(), to);
  };
  const auto refused = [](const std::string& other, const std::vector<std::string>& words) {
    expect_error(invalid, words, [&] { plan_from_json(other); });
  };
  refused(changed(R"("kind":"dct2")", R"("kind":"c2c")", 1),
          {"passes[0].axes[0].kind", "all axes"});
  refused(changed(R"("kind":"dct2")", R"("kind":"dst4")", 1),
          {"passes[0].axes[0].kind", "those of the problem"});
  refused(changed(R"("kinds":["dct2","dct2","dct2"])", R"("kinds":["dct2","dct2"])"),
          {"plan.problem", "one kind for each"});
  refused(changed(R"("element_bytes":8)", R"("element_bytes":16)"), {"element_bytes", "must be 8"});
  refused(changed(R"("reads_reals":false)", R"("reads_reals":true)", 1), {"reads_reals"});
}

/// Runs a plan on volumes in memory.
template <class Real>
Exact transformed_cosines(const KPassPlan& plan, const Exact& array, const PassOptions& options) {
  FakeVolume input(plan.input_bytes());
  FakeVolume output(plan.output_bytes());
  FakeVolume scratch(plan.scratch_bytes);
  Real* to = input.as<Real>();
  for (const auto& x : array) {
    *to++ = static_cast<Real>(x.real());
    if (!plan.problem.real_input) *to++ = static_cast<Real>(x.imag());
  }
  const std::int64_t held =
      run_passes(plan, input, output, plan.scratch_bytes > 0 ? &scratch : nullptr, options);
  EXPECT_EQ(held, memory_bytes(plan));
  EXPECT_LE(held, plan.problem.memory_bytes);
  Exact found;
  const auto reals = plan.output_bytes() / static_cast<std::int64_t>(sizeof(Real));
  const std::int64_t each = plan.problem.real_output ? 1 : 2;
  for (std::int64_t i = 0; i < reals; i += each)
    found.emplace_back(output.as<Real>()[i], each == 2 ? output.as<Real>()[i + 1] : 0);
  return found;
}

Exact transformed_cosines(const KPassPlan& plan, const Exact& array, const PassOptions& options) {
  return plan.problem.precision == Precision::f32
             ? transformed_cosines<float>(plan, array, options)
             : transformed_cosines<double>(plan, array, options);
}

void expect_close(const KPassPlan& plan, const Exact& found, const Exact& exact) {
  ASSERT_EQ(found.size(), exact.size());
  long double error = 0;
  long double norm = 0;
  for (std::size_t i = 0; i < exact.size(); ++i) {
    error += std::norm(found[i] - exact[i]);
    norm += std::norm(exact[i]);
  }
  const double eps = plan.problem.precision == Precision::f32 ? 0x1p-24 : 0x1p-53;
  const auto points = 2 * static_cast<double>(volume(plan.problem.shape));
  EXPECT_LT(static_cast<double>(std::sqrt(error / norm)), 6 * eps * std::sqrt(std::log2(points)));
}

Exact scaled(Exact array, long double factor) {
  for (auto& x : array) x *= factor;
  return array;
}

long double logical_points(const KPassProblem& problem) {
  long double points = 1;
  for (const int axis : problem.axes)
    points *= static_cast<long double>(
        traits_of(problem.kind_of(axis))
            .logical_length(problem.shape[static_cast<std::size_t>(axis)]));
  return points;
}

Kinds random_kinds(Random& random, std::size_t axes) {
  std::vector<Kind> kinds;
  const bool has_fourier = draw(random, 0, 1) == 1;
  const auto last = std::ssize(test_support::real_kinds) - 1;
  for (std::size_t i = 0; i < axes; ++i)
    kinds.push_back(test_support::real_kinds[static_cast<std::size_t>(draw(random, 0, last))]);
  if (has_fourier)
    kinds[static_cast<std::size_t>(draw(random, 0, std::ssize(kinds) - 1))] =
        draw(random, 0, 2) == 0 ? Kind::c2c : Kind::r2c;
  return Kinds(std::move(kinds));
}

/// Compares the forward transform with long double, then the backward transform of the exact result
/// with the input.
TEST(CosinesOnDisks, AgreeWithTheReferenceForwardAndBackward) {
  const std::uint64_t seed = test_support::chosen_seed(71);
  Random random(seed);
  std::set<Kind> seen;
  std::size_t most = 0;
  int done = 0;
  for (int i = 0; i < 150; ++i) {
    KPassProblem problem;
    problem.shape.resize(static_cast<std::size_t>(draw(random, 1, 4)));
    for (auto& n : problem.shape)
      n = draw(random, 2, std::array{3000, 200, 40, 14}.at(problem.shape.size() - 1));
    for (int axis = 0; axis < std::ssize(problem.shape); ++axis)
      if (problem.axes.empty() || draw(random, 0, 3) > 0) problem.axes.push_back(axis);
    if (draw(random, 0, 1) == 1) std::reverse(problem.axes.begin(), problem.axes.end());
    problem.precision = draw(random, 0, 1) ? Precision::f32 : Precision::f64;
    problem.block_bytes = complex_bytes(problem.precision) * draw(random, 1, 20);
    problem.buffers = static_cast<int>(draw(random, 2, 5));
    problem.threads = static_cast<int>(draw(random, 1, 3));
    problem.memory_bytes = std::int64_t{1} << draw(random, 13, 19);
    problem.preserve_inputs = draw(random, 0, 1) == 1;
    const Kinds kinds = random_kinds(random, problem.axes.size());
    const Element element = draw(random, 0, 1) ? Element::real : Element::complex;
    SCOPED_TRACE("problem " + std::to_string(i) + " of " + weft::to_string(problem.shape) + ", " +
                 weft::to_string(kinds) + ", seed " + std::to_string(seed));
    try {
      const KPassPlan there = plan_passes(with_kinds(problem, kinds, Direction::forward, element));
      const KPassPlan back = plan_passes(with_kinds(problem, kinds, Direction::backward, element));
      const Exact x =
          test_support::random_exact(volume(problem.shape), seed, there.problem.real_input);
      const Exact exact = test_support::transformed_exact(x, there.problem, -1);
      expect_close(there, transformed_cosines(there, x, {.scale = 0.75L}), scaled(exact, 0.75L));
      const long double scale = 1 / logical_points(there.problem);
      expect_close(back, transformed_cosines(back, exact, {.sign = 1, .scale = scale}), x);
      most = std::max(most, there.passes.size());
      for (const int axis : problem.axes) seen.insert(there.problem.kind_of(axis));
      ++done;
    } catch (const Error& error) {  // memory too small
      ASSERT_NE(std::string(error.what()).find("bytes are enough"), std::string::npos)
          << error.what();
    }
  }
  EXPECT_GT(done, 60);
  EXPECT_GE(most, 3u);
  EXPECT_EQ(seen.size(), value_count<Kind>);
}

/// If a plan is refused, the memory that the message names must be enough.
TEST(CosinesOnDisks, TheNamedMemoryIsEnough) {
  const std::uint64_t seed = test_support::chosen_seed(72);
  Random random(seed);
  int refused = 0;
  for (int i = 0; i < 400; ++i) {
    KPassProblem problem{.shape = {draw(random, 2, 5000), draw(random, 2, 300)}, .axes = {0, 1}};
    problem.precision = draw(random, 0, 1) ? Precision::f32 : Precision::f64;
    problem.block_bytes = complex_bytes(problem.precision) * draw(random, 1, 300);
    problem.threads = static_cast<int>(draw(random, 1, 3));
    problem.memory_bytes = std::int64_t{1} << draw(random, 12, 18);
    const Kinds kinds = random_kinds(random, 2);
    set_kinds(problem, kinds, draw(random, 0, 1) ? Direction::forward : Direction::backward,
              draw(random, 0, 1) ? Element::real : Element::complex);
    SCOPED_TRACE("problem " + std::to_string(i) + " of " + weft::to_string(problem.shape) + ", " +
                 weft::to_string(kinds) + ", seed " + std::to_string(seed));
    try {
      plan_passes(problem);
    } catch (const Error& error) {
      const std::string text = error.what();
      const std::size_t end = text.find(" bytes are enough");
      ASSERT_NE(end, std::string::npos) << text;
      problem.memory_bytes = std::stoll(text.substr(text.rfind(' ', end - 1) + 1));
      EXPECT_NO_THROW(plan_passes(problem)) << text;
      refused += text.find("is not divided") != std::string::npos ? 1 : 0;
    }
  }
  EXPECT_GT(refused, 50);
}

TEST(CosinesOnDisks, OrthogonalTransformsKeepTheNorm) {
  const std::uint64_t seed = test_support::chosen_seed(5);
  SCOPED_TRACE(test_support::repeated_by(seed));
  for (const Kind kind : test_support::real_kinds)
    for (const Element element : {Element::real, Element::complex}) {
      KPassProblem problem{
          .shape = {21, 40}, .axes = {0, 1}, .memory_bytes = 16 << 10, .block_bytes = 64};
      problem = with_kinds(problem, kind, Direction::forward, element);
      const KPassPlan plan = plan_passes(problem);
      SCOPED_TRACE(to_string(kind));
      const Exact x =
          test_support::random_exact(volume(problem.shape), seed, element == Element::real);
      const long double scale = 1 / std::sqrt(logical_points(problem));
      const Exact found = transformed_cosines(plan, x, {.scale = scale, .orthogonal = true});
      long double before = 0;
      long double after = 0;
      for (const auto& each : x) before += std::norm(each);
      for (const auto& each : found) after += std::norm(each);
      EXPECT_NEAR(static_cast<double>(after / before), 1, 1e-13);
    }
}

TEST(CosinesOnDisks, IntegersBecomeReals) {
  KPassProblem problem = with_kinds(
      {.shape = {30, 70}, .axes = {0, 1}, .memory_bytes = 16 << 10, .block_bytes = 64}, Kind::dct2);
  problem.input_type = element_type(">i2");
  const KPassPlan plan = plan_passes(problem);
  EXPECT_EQ(plan.input_bytes(), 30 * 70 * 2);
  const std::uint64_t seed = test_support::chosen_seed(8);
  SCOPED_TRACE(test_support::repeated_by(seed));
  Exact x = test_support::random_exact(30 * 70, seed, true);
  FakeVolume input(plan.input_bytes());
  FakeVolume output(plan.output_bytes());
  FakeVolume scratch(plan.scratch_bytes);
  for (std::size_t i = 0; i < x.size(); ++i) {
    x[i] = std::round(1000 * x[i].real());
    const auto value = static_cast<std::uint16_t>(static_cast<std::int16_t>(x[i].real()));
    input.as<std::uint8_t>()[2 * i] = static_cast<std::uint8_t>(value >> 8);
    input.as<std::uint8_t>()[2 * i + 1] = static_cast<std::uint8_t>(value & 255);
  }
  run_passes(plan, input, output, plan.scratch_bytes > 0 ? &scratch : nullptr);
  Exact found;
  for (std::size_t i = 0; i < x.size(); ++i) found.emplace_back(output.as<double>()[i]);
  expect_close(plan, found, test_support::transformed_exact(x, problem, -1));
}

}  // namespace
}  // namespace weft::ooc
