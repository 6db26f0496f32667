// Transforms of reals to reals by every engine, compared with their sums in a wider type.
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include "base/memory.hpp"
#include "kernel/engine.hpp"
#include "support/line_oracle.hpp"
#include "support/real_kinds.hpp"
#include "support/seed.hpp"
#include "unit/support/expect_error.hpp"

namespace weft::kernel {
namespace {

using test_support::expect_error;

/// Returns the factor of x[j] in y[k].
Wide factor(Kind kind, std::int64_t j, std::int64_t k, std::int64_t n) {
  const test_support::RealTerm term = test_support::real_term(kind, j, k, n);
  const std::int64_t turn = 2 * test_support::half_turn(kind, n);
  const WideComplex wave = root(term.m % turn, turn);
  return term.weight * test_support::wave_of<Wide>(kind, wave.re, -wave.im);
}

/// Returns the factors of a kind and length. The factor of x[j] in y[k] is at k*n + j.
std::vector<Wide> factors(Kind kind, std::int64_t n) {
  std::vector<Wide> found;
  for (std::int64_t k = 0; k < n; ++k)
    for (std::int64_t j = 0; j < n; ++j) found.push_back(factor(kind, j, k, n));
  return found;
}

/// Returns the sums of a line, whose numbers are `step` reals apart.
template <class Real>
std::vector<Wide> sums(const std::vector<Wide>& factors, std::int64_t n, const Real* line,
                       std::int64_t step) {
  std::vector<Wide> found;
  for (std::int64_t k = 0; k < n; ++k) {
    Wide sum = 0;
    for (std::int64_t j = 0; j < n; ++j)
      sum += factors[static_cast<std::size_t>(k * n + j)] * Wide(line[j * step]);
    found.push_back(sum);
  }
  return found;
}

template <class Real>
void check_one(Engine& engine, const LineProblem& problem, const std::vector<Wide>& factors,
               std::uint64_t seed) {
  SCOPED_TRACE(engine.name() + ": " + describe(problem));
  const std::int64_t parts = problem.parts ? 2 : 1;
  constexpr auto guard = Real(-12345);
  const std::int64_t in_reals = problem.count * problem.in_pitch * parts;
  const std::int64_t out_reals = problem.count * problem.out_pitch * parts;
  AlignedBuffer in(in_reals * static_cast<std::int64_t>(sizeof(Real)));
  AlignedBuffer separate(out_reals * static_cast<std::int64_t>(sizeof(Real)));
  std::mt19937_64 random(seed);
  for (std::int64_t i = 0; i < in_reals; ++i)
    in.as<Real>()[i] = i % (problem.in_pitch * parts) < problem.length * parts
                           ? static_cast<Real>(random() >> 40) * static_cast<Real>(0x1p-24)
                           : guard;
  for (std::int64_t i = 0; i < out_reals; ++i) separate.as<Real>()[i] = guard;
  const std::vector<Real> before(in.as<Real>(), in.as<Real>() + in_reals);
  Real* const out = problem.in_place ? in.as<Real>() : separate.as<Real>();
  engine.lines(problem)->execute(in.data(), out);
  if (!problem.in_place) {
    ASSERT_EQ(std::memcmp(before.data(), in.data(), before.size() * sizeof(Real)), 0)
        << "the input has changed";
  }
  const double eps = static_cast<double>(std::numeric_limits<Real>::epsilon());
  for (std::int64_t line = 0; line < problem.count; ++line)
    for (std::int64_t part = 0; part < parts; ++part) {
      const std::vector<Wide> wanted = sums(
          factors, problem.length, before.data() + line * problem.in_pitch * parts + part, parts);
      double difference = 0;
      double size = 0;
      for (std::int64_t k = 0; k < problem.length; ++k) {
        const Wide exact = wanted[static_cast<std::size_t>(k)];
        const Wide off = Wide(out[(line * problem.out_pitch + k) * parts + part]) - exact;
        difference += static_cast<double>(off * off);
        size += static_cast<double>(exact * exact);
      }
      ASSERT_LE(std::sqrt(difference), 8 * eps * std::sqrt(size)) << line << ", part " << part;
    }
  for (std::int64_t i = 0; i < out_reals; ++i) {
    if (i % (problem.out_pitch * parts) >= problem.length * parts) {
      ASSERT_EQ(out[i], guard) << "a gap was written";
    }
  }
}

void check(Engine& engine, const LineProblem& problem, const std::vector<Wide>& factors,
           std::uint64_t seed) {
  switch (problem.precision) {
    case Precision::f32:
      return check_one<float>(engine, problem, factors, seed);
    case Precision::f64:
      return check_one<double>(engine, problem, factors, seed);
    case Precision::f80:
      return check_one<long double>(engine, problem, factors, seed);
  }
}

class CosineLines : public testing::TestWithParam<std::string> {};

TEST_P(CosineLines, EqualTheirSums) {
  if (!has_engine(GetParam(), Precision::f64)) GTEST_SKIP() << GetParam() << " is not available";
  Engine& tested = engine(GetParam());
  const std::uint64_t seed = test_support::chosen_seed(8);
  SCOPED_TRACE(test_support::repeated_by(seed));
  for (const Kind kind : test_support::real_kinds)
    for (const std::int64_t length : {1, 2, 3, 4, 5, 7, 8, 15, 16, 31, 37, 60}) {
      if (kind == Kind::dct1 && length < 2) continue;
      const std::vector<Wide> exact = factors(kind, length);
      const std::int64_t pitch = (length + 15) / 16 * 16 + 16;
      for (const Precision precision : {Precision::f32, Precision::f64, Precision::f80})
        for (const bool parts : {false, true})
          for (const bool in_place : {false, true})
            for (const std::int64_t count : {1, 17})
              check(tested,
                    {.kind = {kind},
                     .precision = precision,
                     .length = length,
                     .count = count,
                     .in_pitch = pitch,
                     .out_pitch = in_place ? pitch : pitch + 16,
                     .in_place = in_place,
                     .parts = parts},
                    exact, seed);
    }
}

TEST_P(CosineLines, WrongProblemsAreRefused) {
  if (!has_engine(GetParam(), Precision::f64)) GTEST_SKIP() << GetParam() << " is not available";
  Engine& tested = engine(GetParam());
  expect_error(ErrorCode::invalid_argument, {"kind dct1", "at least 2 points", "dct1"}, [&] {
    tested.lines({.kind = {Kind::dct1}, .length = 1, .in_pitch = 1, .out_pitch = 1});
  });
  expect_error(ErrorCode::invalid_argument, {"parts", "c2c forward"},
               [&] { tested.lines({.length = 4, .in_pitch = 4, .out_pitch = 4, .parts = true}); });
  expect_error(ErrorCode::invalid_argument, {"across a tile must be c2c"}, [&] {
    tested.lines({.kind = {Kind::dct2},
                  .length = 4,
                  .in_pitch = 4,
                  .out_pitch = 4,
                  .form = TileForm::across});
  });
}

INSTANTIATE_TEST_SUITE_P(Engines, CosineLines, testing::Values("fftw", "ducc0"),
                         [](const auto& info) { return info.param; });

}  // namespace
}  // namespace weft::kernel
