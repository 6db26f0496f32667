// Lines across a tile, by every engine, compared with the direct transform of each line.
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <complex>
#include <cstdint>
#include <limits>
#include <string>
#include <tuple>
#include <vector>

#include "base/memory.hpp"
#include "kernel/sweep.hpp"
#include "support/line_oracle.hpp"
#include "unit/support/expect_error.hpp"

namespace weft::kernel {
namespace {

using test_support::expect_error;

/// Rows of complex numbers. A row has one number of each line. Gaps have a guard value.
template <class Real>
struct Rows {
  explicit Rows(const LineProblem& problem)
      : count(2 * problem.count),
        pitch(2 * problem.in_pitch),
        size(problem.length * pitch),
        memory(size * static_cast<std::int64_t>(sizeof(Real))) {
    std::fill_n(memory.as<Real>(), size, guard);
  }

  Real& at(std::int64_t row, std::int64_t i) const { return memory.as<Real>()[row * pitch + i]; }

  std::int64_t gaps_written() const {
    std::int64_t found = 0;
    for (std::int64_t i = 0; i < size; ++i)
      if (i % pitch >= count && memory.as<Real>()[i] != guard) ++found;
    return found;
  }

  static constexpr Real guard = -12345;
  std::int64_t count, pitch, size;
  AlignedBuffer memory;
};

/// Line k is the reference line times 2^k, which is exact. So a line in the wrong place is noticed.
template <class Real>
Real scaled(Real value, std::int64_t line) {
  return std::ldexp(value, static_cast<int>(line));
}

template <class Real>
long double relative_error(const Rows<Real>& found, const Reference& reference, std::int64_t line) {
  Wide difference = 0;
  Wide norm = 0;
  for (std::int64_t i = 0; i < std::ssize(reference.output); ++i) {
    const Wide expected = Wide(reference.output[i]) * Wide(scaled(Real(1), line));
    const Wide error = Wide(found.at(i / 2, 2 * line + i % 2)) - expected;
    difference += error * error;
    norm += expected * expected;
  }
  return std::sqrt(static_cast<long double>(difference / norm));
}

template <class Real>
void check(Engine& engine, const LineProblem& problem) {
  SCOPED_TRACE(engine.name() + ": " + describe(problem));
  const Reference& reference = reference_of(problem.kind, problem.length);
  const Rows<Real> in(problem);
  const Rows<Real> separate(problem);
  const auto input = [&](std::int64_t row, std::int64_t i) {
    return scaled(static_cast<Real>(reference.input[2 * row + i % 2]), i / 2);
  };
  for (std::int64_t row = 0; row < problem.length; ++row)
    for (std::int64_t i = 0; i < in.count; ++i) in.at(row, i) = input(row, i);
  const Rows<Real>& out = problem.in_place ? in : separate;
  engine.lines(problem)->execute(in.memory.data(), out.memory.data());
  EXPECT_EQ(in.gaps_written(), 0);
  EXPECT_EQ(out.gaps_written(), 0);
  const long double eps = static_cast<long double>(std::numeric_limits<Real>::epsilon()) / 2;
  const long double bound =
      3 * eps * std::sqrt(std::max(1.0L, std::log2(static_cast<long double>(problem.length))));
  for (std::int64_t line = 0; line < problem.count; ++line)
    EXPECT_LT(relative_error(out, reference, line), bound) << "line " << line;
  if (problem.in_place) return;
  for (std::int64_t row = 0; row < problem.length; ++row)
    for (std::int64_t i = 0; i < in.count; ++i) ASSERT_EQ(in.at(row, i), input(row, i));
}

void check(Engine& engine, const LineProblem& problem) {
  switch (problem.precision) {
    case Precision::f32:
      return check<float>(engine, problem);
    case Precision::f64:
      return check<double>(engine, problem);
    case Precision::f80:
      return check<long double>(engine, problem);
  }
}

class AcrossATile : public testing::TestWithParam<std::tuple<std::string, Precision>> {
 protected:
  static LineProblem problem_of(LineKind kind, std::int64_t length, std::int64_t count,
                                std::int64_t pitch) {
    return {.kind = kind,
            .precision = std::get<1>(GetParam()),
            .length = length,
            .count = count,
            .in_pitch = pitch,
            .out_pitch = pitch,
            .form = TileForm::across};
  }
};

TEST_P(AcrossATile, lines_agree_with_the_direct_transform) {
  Engine& engine = kernel::engine(std::get<0>(GetParam()));
  for (const LineKind kind : {LineKind::c2c_forward, LineKind::c2c_backward})
    for (const std::int64_t length : {1, 2, 5, 8, 13, 60, 97, 128})
      for (const std::int64_t count : {1, 3, 8, 16, 19})
        for (const std::int64_t gap : {0, 3})
          for (const bool in_place : {false, true}) {
            LineProblem problem = problem_of(kind, length, count, count + gap);
            problem.in_place = in_place;
            check(engine, problem);
          }
}

/// Transforms the first `count` lines alone. Returns how many of them are as in a call for all
/// lines, or -1 if the engine cannot transform them alone. Also checks that no other line was
/// written.
template <class Real>
std::int64_t equal_first_lines(Engine& engine, const LineProblem& problem, std::int64_t count) {
  const Rows<Real> in(problem);
  const Rows<Real> all(problem);
  const Rows<Real> first(problem);
  for (std::int64_t row = 0; row < problem.length; ++row)
    for (std::int64_t i = 0; i < in.count; ++i)
      in.at(row, i) = static_cast<Real>((row * 37 + i * 53) % 101 - 50);
  const auto lines = engine.lines(problem);
  lines->execute(in.memory.data(), all.memory.data());
  if (!lines->execute_first(in.memory.data(), first.memory.data(), count)) return -1;
  std::int64_t equal = 0;
  for (std::int64_t line = 0; line < problem.count; ++line) {
    bool is_equal = true;
    for (std::int64_t row = 0; row < problem.length; ++row)
      for (std::int64_t i = 2 * line; i < 2 * line + 2; ++i) {
        const Real bound = 100 * problem.length * std::numeric_limits<Real>::epsilon();
        is_equal = is_equal && std::abs(first.at(row, i) - all.at(row, i)) < bound;
        if (line >= count) {
          EXPECT_EQ(first.at(row, i), Rows<Real>::guard);
        }
      }
    equal += is_equal ? 1 : 0;
  }
  return equal;
}

TEST_P(AcrossATile, only_ducc0_transforms_the_first_lines_alone) {
  Engine& engine = kernel::engine(std::get<0>(GetParam()));
  for (const std::int64_t count : {1, 2, 5, 11, 19}) {
    const LineProblem problem = problem_of(LineKind::c2c_forward, 12, 19, 20);
    const std::int64_t equal = problem.precision == Precision::f32
                                   ? equal_first_lines<float>(engine, problem, count)
                               : problem.precision == Precision::f64
                                   ? equal_first_lines<double>(engine, problem, count)
                                   : equal_first_lines<long double>(engine, problem, count);
    EXPECT_EQ(equal, engine.name() == "ducc0" ? count : -1);
  }
}

TEST_P(AcrossATile, real_lines_and_overlapping_rows_are_refused) {
  Engine& engine = kernel::engine(std::get<0>(GetParam()));
  for (const LineKind kind : {LineKind::r2c, LineKind::c2r})
    expect_error(ErrorCode::invalid_argument, {"must be c2c", "across"},
                 [&] { engine.lines(problem_of(kind, 8, 8, 16)); });
  expect_error(ErrorCode::invalid_argument, {"must not overlap", "at least 19 and 19"},
               [&] { engine.lines(problem_of(LineKind::c2c_forward, 4, 19, 18)); });
}

/// Returns the transformed columns of an array, computed with one form of tiles. Its 45 columns do
/// not fill all tiles.
template <class Real>
std::vector<std::complex<Real>> columns(Engine& engine, Precision precision, std::int64_t length,
                                        TileForm form) {
  constexpr std::int64_t count = 45;
  std::vector<std::complex<Real>> in(static_cast<std::size_t>(length * count));
  for (std::size_t i = 0; i < in.size(); ++i)
    in[i] = {static_cast<Real>(i * 37 % 101) - 50, static_cast<Real>(i * 53 % 89) - 44};
  std::vector<std::complex<Real>> out(in.size());
  LocalOptions options{.engine = &engine, .precision = precision};
  options.choices.push_back({Kind::c2c, true, length, {&engine, form}});
  const Box box = Box::whole({length, count});
  const auto place = [&](int buffer) {
    return Place{{{box, buffer, 0, {count, 1}}}, complex_bytes(precision)};
  };
  const Sweep sweep(box, {{.axis = 0, .length = length, .scale = 0.5L}}, place(0), place(1),
                    options);
  const AlignedBuffer scratch(sweep.scratch_size().thread_bytes());
  const std::array<void*, 2> buffers{in.data(), out.data()};
  sweep.execute(buffers.data(), Scratch(sweep.scratch_size(), scratch.data()));
  return out;
}

template <class Real>
void expect_alike(Engine& engine, Precision precision, std::int64_t length) {
  const auto along = columns<Real>(engine, precision, length, TileForm::along);
  const auto across = columns<Real>(engine, precision, length, TileForm::across);
  long double difference = 0;
  long double norm = 0;
  for (std::size_t i = 0; i < along.size(); ++i) {
    difference += std::norm(std::complex<long double>(along[i] - across[i]));
    norm += std::norm(std::complex<long double>(along[i]));
  }
  EXPECT_GT(norm, 0);
  EXPECT_LT(std::sqrt(difference / norm), 20 * std::numeric_limits<Real>::epsilon()) << length;
}

TEST_P(AcrossATile, sweeps_across_tiles_agree_with_transposed_tiles) {
  Engine& engine = kernel::engine(std::get<0>(GetParam()));
  // Tiles of the longest lines have rows of 128 bytes only.
  for (const std::int64_t length : {1, 6, 100, 1024, 5000, 16384}) {
    if (std::get<1>(GetParam()) == Precision::f32)
      expect_alike<float>(engine, Precision::f32, length);
    if (std::get<1>(GetParam()) == Precision::f64)
      expect_alike<double>(engine, Precision::f64, length);
    if (std::get<1>(GetParam()) == Precision::f80)
      expect_alike<long double>(engine, Precision::f80, length);
  }
}

INSTANTIATE_TEST_SUITE_P(Engines, AcrossATile,
                         testing::Combine(testing::ValuesIn(engine_names()),
                                          testing::Values(Precision::f32, Precision::f64,
                                                          Precision::f80)),
                         [](const auto& info) {
                           return std::get<0>(info.param) + "_" +
                                  weft::to_string(std::get<1>(info.param));
                         });

}  // namespace
}  // namespace weft::kernel
