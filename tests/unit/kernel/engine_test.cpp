#include "kernel/engine.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <thread>
#include <tuple>

#include "base/memory.hpp"
#include "kernel/fftw_library.hpp"
#include "kernel/lines.hpp"
#include "support/line_oracle.hpp"
#include "unit/support/expect_error.hpp"

namespace weft::kernel {
namespace {

using test_support::expect_error;

/// Line k is the reference line times 2^k, which is exact. So a line in the wrong place is noticed.
template <class Real>
Real line_scale(std::int64_t k) {
  return std::ldexp(Real(1), static_cast<int>(k));
}

constexpr std::int64_t guard_reals = 16;  // before and after the lines; a multiple of 64 bytes in
                                          // every precision

/// The lines of the input or the output. Every place that belongs to no line has a guard value.
template <class Real>
struct Side {
  Side(std::int64_t count, std::int64_t line_reals, std::int64_t pitch_reals)
      : count(count),
        line_reals(line_reals),
        pitch_reals(pitch_reals),
        size(2 * guard_reals + count * pitch_reals),
        memory(size * static_cast<std::int64_t>(sizeof(Real))) {
    std::fill_n(memory.as<Real>(), size, guard());
  }

  static Real guard() { return Real(-12345); }
  Real* first() const { return memory.as<Real>() + guard_reals; }
  Real* line(std::int64_t k) const { return first() + k * pitch_reals; }

  void fill(const Reference& reference) const {
    for (std::int64_t k = 0; k < count; ++k) {
      for (std::int64_t i = 0; i < line_reals; ++i)
        line(k)[i] = reference.input[i] * line_scale<Real>(k);
    }
  }

  /// Returns the number of places after the first `reals` of each line that lost their guard value.
  std::int64_t overwritten(std::int64_t reals) const {
    std::int64_t found = 0;
    for (std::int64_t i = 0; i < size; ++i) {
      const std::int64_t from_first = i - guard_reals;
      const bool in_line =
          from_first >= 0 && from_first / pitch_reals < count && from_first % pitch_reals < reals;
      if (!in_line && memory.as<Real>()[i] != guard()) ++found;
    }
    return found;
  }

  std::int64_t count, line_reals, pitch_reals, size;
  AlignedBuffer memory;
};

template <class Real>
long double relative_error(const Side<Real>& out, const Reference& reference, std::int64_t k) {
  Wide difference = 0;
  Wide norm = 0;
  for (std::int64_t i = 0; i < out.line_reals; ++i) {
    const Wide expected = reference.output[i] * Wide(line_scale<Real>(k));
    difference += (Wide(out.line(k)[i]) - expected) * (Wide(out.line(k)[i]) - expected);
    norm += expected * expected;
  }
  return std::sqrt(static_cast<long double>(difference / norm));
}

/// Returns the largest accepted relative error for n points. eps is the rounding error of one
/// operation, 2^-24 for f32.
template <class Real>
long double tolerance(std::int64_t n) {
  const long double eps = static_cast<long double>(std::numeric_limits<Real>::epsilon()) / 2;
  return 3 * eps * std::sqrt(std::max(1.0L, std::log2(static_cast<long double>(n))));
}

std::int64_t reals_per_input(LineKind kind) { return kind == LineKind::r2c ? 1 : 2; }
std::int64_t reals_per_output(LineKind kind) { return kind == LineKind::c2r ? 1 : 2; }

/// Transforms the reference lines. Checks results and guards. Also checks that the input is
/// unchanged, except in place and for c2r.
template <class Real>
void check_lines(Engine& engine, const LineProblem& problem) {
  const Reference& reference = reference_of(problem.kind, problem.length);
  const auto in_reals = reals_per_input(problem.kind);
  const auto out_reals = reals_per_output(problem.kind);
  const Side<Real> in(problem.count, input_elements(problem) * in_reals,
                      problem.in_pitch * in_reals);
  const Side<Real> separate(problem.count, output_elements(problem) * out_reals,
                            problem.out_pitch * out_reals);
  in.fill(reference);
  Real* out = problem.in_place ? in.first() : separate.first();
  engine.lines(problem)->execute(in.first(), out);
  if (problem.in_place) {
    EXPECT_EQ(in.overwritten(std::max(in.line_reals, separate.line_reals)), 0);
    for (std::int64_t k = 0; k < problem.count; ++k) {
      std::copy_n(in.line(k), separate.line_reals, separate.line(k));
    }
  } else {
    EXPECT_EQ(in.overwritten(in.line_reals), 0);
    EXPECT_EQ(separate.overwritten(separate.line_reals), 0);
  }
  const auto bound = tolerance<Real>(problem.length);
  for (std::int64_t k = 0; k < problem.count; ++k) {
    EXPECT_LT(relative_error(separate, reference, k), bound) << "line " << k;
    if (problem.in_place || problem.kind == LineKind::c2r) continue;
    for (std::int64_t i = 0; i < in.line_reals; ++i) {
      EXPECT_EQ(in.line(k)[i], reference.input[i] * line_scale<Real>(k))
          << "input " << i << " of line " << k;
    }
  }
}

void check_lines(Engine& engine, const LineProblem& problem) {
  SCOPED_TRACE(engine.name() + ": " + describe(problem));
  switch (problem.precision) {
    case Precision::f32:
      return check_lines<float>(engine, problem);
    case Precision::f64:
      return check_lines<double>(engine, problem);
    case Precision::f80:
      return check_lines<long double>(engine, problem);
  }
}

/// Returns the problem with gaps of `gap` elements between lines, in input and output. For r2c and
/// c2r in place, the complex side has these gaps.
LineProblem with_gap(LineProblem problem, std::int64_t gap) {
  problem.in_pitch = input_elements(problem) + gap;
  problem.out_pitch = output_elements(problem) + gap;
  if (problem.in_place && problem.kind == LineKind::r2c) problem.in_pitch = 2 * problem.out_pitch;
  if (problem.in_place && problem.kind == LineKind::c2r) problem.out_pitch = 2 * problem.in_pitch;
  return problem;
}

class LinesOf : public testing::TestWithParam<std::tuple<std::string, Precision, LineKind>> {};

TEST_P(LinesOf, agree_with_the_direct_transform) {
  const auto& [name, precision, kind] = GetParam();
  int problems = 0;
  for (const std::int64_t length : {1, 2, 3, 4, 5, 7, 8, 13, 16, 31, 60, 97, 128, 243, 403, 1000}) {
    for (const std::int64_t count : {1, 3, 8}) {
      for (const std::int64_t gap : {0, 3}) {
        for (const bool in_place : {false, true}) {
          const LineProblem problem{.kind = kind,
                                    .precision = precision,
                                    .length = length,
                                    .count = count,
                                    .in_place = in_place};
          check_lines(engine(name), with_gap(problem, gap));
          ++problems;
        }
      }
    }
  }
  EXPECT_EQ(problems, 16 * 3 * 2 * 2);
}

TEST_P(LinesOf, agree_when_planned_with_more_effort) {
  const auto& [name, precision, kind] = GetParam();
  for (const Effort effort : {Effort::measure, Effort::exhaustive}) {
    for (const bool in_place : {false, true}) {
      for (const std::int64_t length : {1, 60}) {
        const LineProblem problem{.kind = kind,
                                  .precision = precision,
                                  .length = length,
                                  .count = 5,
                                  .in_place = in_place,
                                  .effort = effort};
        check_lines(engine(name), with_gap(problem, 1));
      }
    }
  }
}

TEST_P(LinesOf, are_made_once) {
  const auto& [name, precision, kind] = GetParam();
  const auto problem =
      with_gap({.kind = kind, .precision = precision, .length = 24, .count = 4}, 0);
  const auto first = engine(name).lines(problem);
  EXPECT_EQ(first, engine(name).lines(problem));
  EXPECT_NE(first, engine(name).lines(with_gap(problem, 1)));
}

TEST_P(LinesOf, give_the_same_bits_in_two_threads) {
  const auto& [name, precision, kind] = GetParam();
  const auto problem =
      with_gap({.kind = kind, .precision = precision, .length = 60, .count = 9}, 1);
  const auto transform = engine(name).lines(problem);
  const auto run = [&](std::vector<std::vector<float>>& results) {
    for (int repeat = 0; repeat < 20; ++repeat) {
      const AlignedBuffer in(input_bytes(problem));
      const AlignedBuffer out(output_bytes(problem));
      std::memset(in.data(), 0, static_cast<std::size_t>(in.size()));
      std::memset(out.data(), 0, static_cast<std::size_t>(out.size()));
      const auto reals = in.size() / real_bytes(precision);
      for (std::int64_t i = 0; i < reals; ++i) {
        const auto value = static_cast<float>(i % 17) - 8;
        if (precision == Precision::f32) in.as<float>()[i] = value;
        if (precision == Precision::f64) in.as<double>()[i] = value;
        if (precision == Precision::f80) in.as<long double>()[i] = value;
      }
      transform->execute(in.data(), out.data());
      results.emplace_back(out.as<float>(), out.as<float>() + out.size() / 4);
    }
  };
  std::vector<std::vector<float>> here;
  std::vector<std::vector<float>> there;
  std::thread other([&] { run(there); });
  run(here);
  other.join();
  ASSERT_EQ(here.size(), there.size());
  for (const auto* results : {&here, &there}) {
    for (const auto& result : *results) {
      EXPECT_EQ(std::memcmp(result.data(), here[0].data(), result.size() * sizeof(float)), 0);
    }
  }
}

std::string test_name(const testing::TestParamInfo<LinesOf::ParamType>& info) {
  std::string name = std::get<0>(info.param) + "_" + weft::to_string(std::get<1>(info.param)) +
                     "_" + to_string(std::get<2>(info.param));
  std::replace(name.begin(), name.end(), ' ', '_');
  return name;
}

INSTANTIATE_TEST_SUITE_P(
    Engines, LinesOf,
    testing::Combine(testing::ValuesIn(engine_names()),
                     testing::Values(Precision::f32, Precision::f64, Precision::f80),
                     testing::Values(LineKind::c2c_forward, LineKind::c2c_backward, LineKind::r2c,
                                     LineKind::c2r)),
    test_name);

class EveryEngine : public testing::TestWithParam<std::string> {};

/// These lines are too long for the direct transform. A spike at j has the spectrum
/// exp(-2*pi*i*j*k/n).
TEST_P(EveryEngine, long_lines_transform_a_spike) {
  for (const std::int64_t n : {4099, 10007, 20000, 32768, 59049}) {
    for (const std::int64_t count : {1, 3}) {
      const LineProblem problem{
          .length = n, .count = count, .in_pitch = n, .out_pitch = n, .in_place = true};
      const AlignedBuffer memory(input_bytes(problem));
      std::fill_n(memory.as<double>(), 2 * n * count, 0.0);
      for (std::int64_t line = 0; line < count; ++line)
        memory.as<double>()[2 * (n * line + line + 1)] = 1;
      engine(GetParam()).lines(problem)->execute(memory.data(), memory.data());
      for (std::int64_t line = 0; line < count; ++line) {
        double worst = 0;
        for (std::int64_t k = 0; k < n; k += 101) {
          const auto expected = root((line + 1) * k % n, n);
          const double* found = memory.as<double>() + 2 * (n * line + k);
          worst = std::max({worst, std::abs(found[0] - static_cast<double>(expected.re)),
                            std::abs(found[1] - static_cast<double>(expected.im))});
        }
        EXPECT_LT(worst, 1e-14) << n << " points, line " << line;
      }
    }
  }
}

TEST_P(EveryEngine, c2r_ignores_the_imaginary_parts_of_real_elements) {
  for (const std::int64_t n : {1, 2, 3, 8, 30, 31, 60, 403, 1000}) {
    const LineProblem problem{
        .kind = LineKind::c2r, .length = n, .in_pitch = n / 2 + 1, .out_pitch = n};
    std::vector<std::vector<double>> results;
    for (const double imaginary : {0.0, 1e3}) {
      const AlignedBuffer in(input_bytes(problem));
      const AlignedBuffer out(output_bytes(problem));
      for (std::int64_t i = 0; i < n + 2 - n % 2; ++i)
        in.as<double>()[i] = static_cast<double>(i % 7);
      in.as<double>()[1] = imaginary;
      if (n % 2 == 0) in.as<double>()[n + 1] = imaginary;
      engine(GetParam()).lines(problem)->execute(in.data(), out.data());
      results.emplace_back(out.as<double>(), out.as<double>() + n);
    }
    EXPECT_EQ(results[0], results[1]) << n << " points";
  }
}

TEST_P(EveryEngine, threads_that_want_the_same_lines_make_them_once) {
  const LineProblem problem{.length = 77, .count = 2, .in_pitch = 77, .out_pitch = 77};
  std::vector<std::shared_ptr<const LineTransform>> made(4);
  std::vector<std::thread> threads;
  for (auto& each : made) threads.emplace_back([&] { each = engine(GetParam()).lines(problem); });
  for (auto& thread : threads) thread.join();
  for (const auto& each : made) EXPECT_EQ(each, made[0]);
}

TEST_P(EveryEngine, plans_in_one_thread_while_another_thread_executes) {
  std::atomic<bool> done{false};
  std::thread planner([&] {
    for (std::int64_t n = 1; n <= 300; ++n) {
      engine(GetParam())
          .lines({.length = n, .count = 1, .in_pitch = n, .out_pitch = n, .in_place = true});
    }
    done = true;
  });
  int executed = 0;
  while (!done || executed == 0) {
    const std::int64_t n = 301 + executed++ % 100;
    const LineProblem problem{
        .length = n, .count = 1, .in_pitch = n, .out_pitch = n, .in_place = true};
    const AlignedBuffer memory(input_bytes(problem));
    std::fill_n(memory.as<double>(), 2 * n, 1.0);
    engine(GetParam()).lines(problem)->execute(memory.data(), memory.data());
    EXPECT_NEAR(memory.as<double>()[0], static_cast<double>(n), 1e-9);
  }
  planner.join();
}

TEST_P(EveryEngine, keeps_few_lines_that_are_not_in_use) {
  const auto problem_of = [](std::int64_t n) {
    return LineProblem{.length = n, .count = 1, .in_pitch = n, .out_pitch = n};
  };
  std::weak_ptr<const LineTransform> dropped = engine(GetParam()).lines(problem_of(12));
  EXPECT_FALSE(dropped.expired()) << "the lines last asked for are kept";
  for (std::int64_t n = 100; n < 200; ++n) engine(GetParam()).lines(problem_of(n));
  EXPECT_TRUE(dropped.expired()) << "lines are dropped after many others";
  dropped = engine(GetParam()).lines(problem_of(100'000));
  EXPECT_TRUE(dropped.expired()) << "plans for long lines are never kept";
}

void expect_refusal(Engine& engine, const LineProblem& problem,
                    const std::vector<std::string>& words) {
  SCOPED_TRACE(describe(problem));
  expect_error(ErrorCode::invalid_argument, words, [&] { engine.lines(problem); });
}

TEST_P(EveryEngine, refuses_problems_that_break_a_rule) {
  Engine& each = engine(GetParam());
  const auto huge = std::int64_t{1} << 60;
  expect_refusal(each, {.length = 0, .count = 2}, {"at least 1", "2 lines of 0 points"});
  expect_refusal(each, {.length = 8, .count = -1}, {"at least 1", "-1 lines of 8 points"});
  expect_refusal(each, {.length = 8, .count = 2, .in_pitch = 7, .out_pitch = 8},
                 {"8 and 8", "pitches 7 and 8"});
  expect_refusal(each,
                 {.kind = LineKind::c2r, .length = 8, .count = 2, .in_pitch = 4, .out_pitch = 8},
                 {"5 and 8"});
  expect_refusal(each, {.length = 8, .count = 2, .in_pitch = 8, .out_pitch = 9, .in_place = true},
                 {"same number of"});
  expect_refusal(each, {.length = 8, .count = 9, .in_pitch = huge, .out_pitch = 8}, {"2^63 bytes"});
}

TEST_P(EveryEngine, reports_a_failure_of_planning) {
  const LineProblem problem{
      .kind = LineKind::r2c, .length = 40, .count = 2, .in_pitch = 40, .out_pitch = 21};
  const auto expect_failure = [&] {
    expect_error(ErrorCode::fft_failure, {GetParam(), "r2c, f64, 2 lines of 40 points"},
                 [&] { engine(GetParam()).lines(problem); });
  };
  const auto held = engine(GetParam()).lines(problem);
  set_planning_failure(true);
  expect_failure();
  set_planning_failure(false);
  EXPECT_EQ(engine(GetParam()).lines(problem), held);
  setenv("WEFT_TEST_FAIL_FFT_PLAN", "1", 1);
  expect_failure();
  unsetenv("WEFT_TEST_FAIL_FFT_PLAN");
  EXPECT_EQ(engine(GetParam()).lines(problem), held);
}

TEST_P(EveryEngine, executes_without_allocating) {
  for (const std::int64_t n : {60, 31, 5000, 20000}) {
    const LineProblem problem{
        .length = n, .count = 5, .in_pitch = n, .out_pitch = n, .in_place = true};
    const auto transform = engine(GetParam()).lines(problem);
    const AlignedBuffer memory(input_bytes(problem));
    std::fill_n(memory.as<double>(), 2 * n * problem.count, 1.0);
    transform->execute(memory.data(), memory.data());
    const auto before = memory_counters().allocations;
    transform->execute(memory.data(), memory.data());
    EXPECT_EQ(memory_counters().allocations, before);
  }
}

TEST_P(EveryEngine, describes_itself) {
  Engine& each = engine(GetParam());
  EXPECT_EQ(each.name(), GetParam());
  EXPECT_FALSE(each.description().empty());
  EXPECT_TRUE(each.supports(Precision::f64));
}

TEST(Engines, ducc0_fills_its_vectors) {
  Engine& ducc0 = engine("ducc0");
  const auto doubles = ducc0.lines_together(Precision::f64, 256, TileForm::along);
  EXPECT_EQ(ducc0.lines_together(Precision::f32, 256, TileForm::across), 2 * doubles);
  EXPECT_NE(ducc0.description().find("vectors of " + std::to_string(doubles) + " f64"),
            std::string::npos);
}

INSTANTIATE_TEST_SUITE_P(Engines, EveryEngine, testing::ValuesIn(engine_names()),
                         [](const auto& info) { return info.param; });

TEST(Engines, are_chosen_by_name) {
  ASSERT_FALSE(engine_names().empty());
  EXPECT_EQ(engine_names().back(), "ducc0");
  for (const auto& name : engine_names()) {
    setenv("WEFT_ENGINE", name.c_str(), 1);
    EXPECT_EQ(default_engine().name(), name);
  }
  const std::string first = fftw_library() == nullptr ? "ducc0" : "fftw";
  setenv("WEFT_ENGINE", "auto", 1);
  EXPECT_EQ(default_engine().name(), first);
  unsetenv("WEFT_ENGINE");
  EXPECT_EQ(wanted_engine(), "auto");
  EXPECT_EQ(default_engine().name(), first);
}

TEST(Engines, chosen_for_some_lines_replace_the_engine_of_the_others) {
  struct Named : Engine {
    std::string name() const override { return "named"; }
    std::string description() const override { return ""; }
    bool supports(Precision) const override { return true; }
    std::int64_t lines_together(Precision, std::int64_t, TileForm) const override { return 1; }
    std::shared_ptr<const LineTransform> make(const LineProblem&) override { return nullptr; }
  };
  Named others;
  Named of_reals;
  Named of_complex;
  Named across;
  const LocalOptions options{.engine = &others,
                             .choices = {{Kind::c2c, true, 8, {&across, TileForm::across}},
                                         {Kind::r2c, false, 8, {&of_reals}},
                                         {Kind::c2c, false, 8, {&of_complex}}}};
  const auto chosen = [&](LineKind kind, std::int64_t length, bool across_memory) {
    return options.choice_of(kind, length, across_memory).engine;
  };
  EXPECT_EQ(chosen(LineKind::r2c, 8, false), &of_reals);
  EXPECT_EQ(chosen(LineKind::c2r, 8, true), &of_reals);
  EXPECT_EQ(chosen(LineKind::c2c_forward, 8, false), &of_complex);
  EXPECT_EQ(chosen(LineKind::c2c_backward, 8, true), &across);
  EXPECT_EQ(options.choice_of(LineKind::c2c_backward, 8, true).form, TileForm::across);
  EXPECT_EQ(options.choice_of(LineKind::c2c_backward, 8, false).form, TileForm::along);
  EXPECT_EQ(chosen(LineKind::r2c, 9, false), &others);
  EXPECT_EQ(chosen(LineKind::c2c_forward, 4, true), &others);
}

TEST(Engines, are_named_if_an_unknown_one_is_requested) {
  std::vector<std::string> words = engine_names();
  words.push_back("\"abacus\"");
  setenv("WEFT_ENGINE", "abacus", 1);
  expect_error(ErrorCode::unsupported, words, [] { default_engine(); });
  unsetenv("WEFT_ENGINE");
}

}  // namespace
}  // namespace weft::kernel
