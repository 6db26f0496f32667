#pragma once

#include <complex>
#include <cstdint>
#include <functional>
#include <numeric>
#include <random>
#include <vector>

#include <weft/layout.hpp>

#include "base/memory.hpp"
#include "kernel/engine.hpp"
#include "ooc/plan/pass_plan.hpp"

namespace weft::test_support {

/// An array in the number type of the reference.
using Exact = std::vector<std::complex<long double>>;

/// Returns random numbers that are exact in float, so the same reference fits both precisions.
inline Exact random_exact(std::int64_t size, unsigned seed, bool real) {
  std::mt19937_64 random(seed);
  std::uniform_real_distribution<float> uniform(-1, 1);
  Exact array(static_cast<std::size_t>(size));
  for (auto& x : array) {
    const float re = uniform(random);
    x = {re, real ? 0 : uniform(random)};
  }
  return array;
}

/// Transforms the lines along one axis by the local engine, in long double. Real kinds (r2r)
/// transform the real and the imaginary parts separately.
inline void transform_exact(Exact& array, const Shape& shape, int axis, kernel::LineKind kind) {
  const std::int64_t n = shape[static_cast<std::size_t>(axis)];
  const auto after =
      std::accumulate(shape.begin() + axis + 1, shape.end(), std::int64_t{1}, std::multiplies<>());
  const auto lines = kernel::default_engine().lines({.kind = kind,
                                                     .precision = Precision::f80,
                                                     .length = n,
                                                     .in_pitch = n,
                                                     .out_pitch = n,
                                                     .in_place = true,
                                                     .parts = kernel::is_r2r(kind)});
  AlignedBuffer line(n * 32);
  auto* points = line.as<std::complex<long double>>();
  for (std::int64_t k = 0; k < std::ssize(array) / n; ++k) {
    auto* first = array.data() + k / after * after * n + k % after;
    for (std::int64_t i = 0; i < n; ++i) points[i] = first[i * after];
    lines->execute(points, points);
    for (std::int64_t i = 0; i < n; ++i) first[i * after] = points[i];
  }
}

inline void transform_exact(Exact& array, const Shape& shape, int axis, int sign) {
  transform_exact(array, shape, axis,
                  sign < 0 ? kernel::LineKind::c2c_forward : kernel::LineKind::c2c_backward);
}

/// The first n/2 + 1 elements along one axis.
inline Exact half_of(const Exact& array, const Shape& shape, int axis) {
  const std::int64_t n = shape[static_cast<std::size_t>(axis)];
  const auto after =
      std::accumulate(shape.begin() + axis + 1, shape.end(), std::int64_t{1}, std::multiplies<>());
  Exact half;
  for (std::int64_t i = 0; i < std::ssize(array); ++i)
    if (i / after % n <= n / 2) half.push_back(array[static_cast<std::size_t>(i)]);
  return half;
}

/// Returns the transform of an array that `problem` describes, in natural order.
inline Exact transformed_exact(Exact array, const ooc::KPassProblem& problem, int sign) {
  for (const int axis : problem.axes) {
    const Kind kind = problem.kind_of(axis);
    if (keeps_elements(kind))
      transform_exact(array, problem.shape, axis, kernel::line_kind(kind, Direction::forward));
    else
      transform_exact(array, problem.shape, axis, sign);
  }
  if (problem.real_input && problem.halves())
    array = half_of(array, problem.shape, problem.halved_axis());
  return array;
}

/// Returns the position, in the result of a plan, of element k in natural order.
inline std::int64_t place_in_result(const ooc::KPassPlan& plan, std::int64_t k) {
  const std::int64_t rows = plan.transposed_rows;
  return k % rows * (volume(plan.problem.shape) / rows) + k / rows;
}

}  // namespace weft::test_support
