#pragma once

#include <cmath>
#include <complex>
#include <cstdint>
#include <numbers>
#include <type_traits>
#include <vector>

#include <weft/plan.hpp>

#include "support/line_oracle.hpp"
#include "support/real_kinds.hpp"

namespace weft::test_support {

/// The oracle of the MPI tests is the definition of the DFT. It sums directly over the whole array,
/// in a type wider than the one under test. It shares no transform with weft and calls no FFT
/// library.
///
/// The wider type is long double for float and double, and kernel::Wide for long double.
template <class T>
using WiderThan = std::conditional_t<std::is_same_v<T, long double>, kernel::Wide, long double>;

template <class W>
struct WholeArray {
  Shape shape;
  std::vector<W> re;
  std::vector<W> im;
  explicit WholeArray(const Shape& given)
      : shape(given),
        re(static_cast<std::size_t>(volume(given))),
        im(static_cast<std::size_t>(volume(given))) {}
};

/// Returns exp(-2*pi*i*j/n) for j = 0..n-1.
template <class W>
std::vector<std::pair<W, W>> unit_roots(std::int64_t n) {
  std::vector<std::pair<W, W>> roots;
  for (std::int64_t j = 0; j < n; ++j) {
    if constexpr (std::is_same_v<W, long double>) {
      const long double angle = -2 * std::numbers::pi_v<long double> * static_cast<long double>(j) /
                                static_cast<long double>(n);
      roots.emplace_back(std::cos(angle), std::sin(angle));
    } else {
      const kernel::WideComplex w = kernel::root(j, n);
      roots.emplace_back(w.re, w.im);
    }
  }
  return roots;
}

/// Calls visit(offset of the first element, step between elements) for every line along `axis`.
template <class Visit>
void for_each_line(const Shape& shape, int axis, Visit&& visit) {
  std::int64_t step = 1;
  for (std::size_t a = static_cast<std::size_t>(axis) + 1; a < shape.size(); ++a) step *= shape[a];
  const std::int64_t block = step * shape[static_cast<std::size_t>(axis)];
  const std::int64_t size = volume(shape);
  for (std::int64_t outer = 0; outer < size; outer += block)
    for (std::int64_t inner = 0; inner < step; ++inner) visit(outer + inner, step);
}

/// x[k] <- sum_j x[j] exp(sign*2*pi*i*j*k/n) along one axis.
template <class W>
void transform_axis(WholeArray<W>& x, int axis, int sign) {
  const std::int64_t n = x.shape[static_cast<std::size_t>(axis)];
  const auto roots = unit_roots<W>(n);
  std::vector<W> re(static_cast<std::size_t>(n));
  std::vector<W> im(static_cast<std::size_t>(n));
  for_each_line(x.shape, axis, [&](std::int64_t first, std::int64_t step) {
    for (std::int64_t k = 0; k < n; ++k) {
      W sum_re = 0;
      W sum_im = 0;
      for (std::int64_t j = 0, root = 0; j < n; ++j) {
        const std::size_t at = static_cast<std::size_t>(first + j * step);
        const W c = roots[static_cast<std::size_t>(root)].first;
        const W s = sign < 0 ? roots[static_cast<std::size_t>(root)].second
                             : -roots[static_cast<std::size_t>(root)].second;
        sum_re += x.re[at] * c - x.im[at] * s;
        sum_im += x.re[at] * s + x.im[at] * c;
        root = (root + k) % n;
      }
      re[static_cast<std::size_t>(k)] = sum_re;
      im[static_cast<std::size_t>(k)] = sum_im;
    }
    for (std::int64_t k = 0; k < n; ++k) {
      x.re[static_cast<std::size_t>(first + k * step)] = re[static_cast<std::size_t>(k)];
      x.im[static_cast<std::size_t>(first + k * step)] = im[static_cast<std::size_t>(k)];
    }
  });
}

/// Transforms lines along one axis by a kind of reals. Treats real and imaginary parts separately.
template <class W>
void transform_real_axis(WholeArray<W>& x, int axis, Kind kind, bool is_ortho) {
  const std::int64_t n = x.shape[static_cast<std::size_t>(axis)];
  const std::int64_t turn = 2 * half_turn(kind, n);
  const auto roots = unit_roots<W>(turn);
  std::vector<W> re(static_cast<std::size_t>(n));
  std::vector<W> im(static_cast<std::size_t>(n));
  for_each_line(x.shape, axis, [&](std::int64_t first, std::int64_t step) {
    for (std::int64_t k = 0; k < n; ++k) {
      re[static_cast<std::size_t>(k)] = 0;
      im[static_cast<std::size_t>(k)] = 0;
      for (std::int64_t j = 0; j < n; ++j) {
        const RealTerm term = real_term(kind, j, k, n);
        const auto& root = roots[static_cast<std::size_t>(term.m % turn)];
        const W factor = W(term.weight) * W(is_ortho ? ortho_factor(kind, j, k, n) : 1) *
                         wave_of(kind, root.first, -root.second);
        const auto at = static_cast<std::size_t>(first + j * step);
        re[static_cast<std::size_t>(k)] += factor * x.re[at];
        im[static_cast<std::size_t>(k)] += factor * x.im[at];
      }
    }
    for (std::int64_t k = 0; k < n; ++k) {
      x.re[static_cast<std::size_t>(first + k * step)] = re[static_cast<std::size_t>(k)];
      x.im[static_cast<std::size_t>(first + k * step)] = im[static_cast<std::size_t>(k)];
    }
  });
}

/// Returns the array with another extent along `axis`. Elements beyond the old extent are zero.
template <class W>
WholeArray<W> with_extent(const WholeArray<W>& x, int axis, std::int64_t extent) {
  Shape shape = x.shape;
  shape[static_cast<std::size_t>(axis)] = extent;
  WholeArray<W> y(shape);
  std::int64_t inner = 1;
  for (std::size_t a = static_cast<std::size_t>(axis) + 1; a < shape.size(); ++a) inner *= shape[a];
  const std::int64_t old_block = inner * x.shape[static_cast<std::size_t>(axis)];
  const std::int64_t new_block = inner * extent;
  const std::int64_t common = std::min(old_block, new_block);
  for (std::int64_t from = 0, to = 0; from < static_cast<std::int64_t>(x.re.size());
       from += old_block, to += new_block)
    for (std::int64_t i = 0; i < common; ++i) {
      y.re[static_cast<std::size_t>(to + i)] = x.re[static_cast<std::size_t>(from + i)];
      y.im[static_cast<std::size_t>(to + i)] = x.im[static_cast<std::size_t>(from + i)];
    }
  return y;
}

/// Returns the whole spectra (n elements) of real lines, from half spectra (n/2+1 elements).
/// Element n-k is the conjugate of element k. If n-k and k are the same element, its imaginary part
/// is dropped.
template <class W>
WholeArray<W> completed_by_symmetry(const WholeArray<W>& half, int axis, std::int64_t n) {
  WholeArray<W> full = with_extent(half, axis, n);
  for_each_line(full.shape, axis, [&](std::int64_t first, std::int64_t step) {
    auto at = [&](std::int64_t k) { return static_cast<std::size_t>(first + k * step); };
    for (std::int64_t k = 0; k <= n / 2; ++k) {
      const std::int64_t partner = (n - k) % n;
      if (partner == k) {
        full.im[at(k)] = 0;
      } else {
        full.re[at(partner)] = full.re[at(k)];
        full.im[at(partner)] = -full.im[at(k)];
      }
    }
  });
  return full;
}

/// Returns the index, in a spectrum of n elements, of element j of its m lowest wavenumbers.
inline std::int64_t index_of_mode(std::int64_t j, std::int64_t m, std::int64_t n, bool both_signs) {
  return !both_signs || j <= (m - 1) / 2 ? j : n - m + j;
}

/// Calls visit(first in one, first in other, step) for each line along `axis`. The first two
/// numbers are the offsets of the line's first element in the two arrays.
template <class Visit>
void for_each_pair_of_lines(const Shape& one, const Shape& other, int axis, Visit&& visit) {
  std::int64_t step = 1;
  for (std::size_t a = static_cast<std::size_t>(axis) + 1; a < one.size(); ++a) step *= one[a];
  const std::int64_t in_one = step * one[static_cast<std::size_t>(axis)];
  const std::int64_t in_other = step * other[static_cast<std::size_t>(axis)];
  for (std::int64_t outer = 0; outer * in_one < volume(one); ++outer)
    for (std::int64_t inner = 0; inner < step; ++inner)
      visit(outer * in_one + inner, outer * in_other + inner, step);
}

/// Returns the m lowest wavenumbers of whole lines. With both signs and even m, element m/2 is the
/// sum of the elements of wavenumbers m/2 and -m/2.
template <class W>
WholeArray<W> kept_modes(const WholeArray<W>& x, int axis, bool both_signs, std::int64_t m) {
  const std::int64_t n = x.shape[static_cast<std::size_t>(axis)];
  if (m == n) return x;
  Shape shape = x.shape;
  shape[static_cast<std::size_t>(axis)] = m;
  WholeArray<W> y(shape);
  for_each_pair_of_lines(x.shape, shape, axis,
                         [&](std::int64_t in, std::int64_t out, std::int64_t step) {
                           const auto add = [&](std::int64_t j, std::int64_t k) {
                             y.re[static_cast<std::size_t>(out + j * step)] +=
                                 x.re[static_cast<std::size_t>(in + k * step)];
                             y.im[static_cast<std::size_t>(out + j * step)] +=
                                 x.im[static_cast<std::size_t>(in + k * step)];
                           };
                           for (std::int64_t j = 0; j < m; ++j)
                             add(j, index_of_mode(j, m, n, both_signs));
                           if (both_signs && m % 2 == 0) add(m / 2, m / 2);
                         });
  return y;
}

/// Returns whole lines of n elements: the given lowest wavenumbers, and zeros. With both signs and
/// even m, wavenumbers m/2 and -m/2 get half of element m/2 each.
template <class W>
WholeArray<W> spread_modes(const WholeArray<W>& x, int axis, bool both_signs, std::int64_t n) {
  const std::int64_t m = x.shape[static_cast<std::size_t>(axis)];
  if (m == n) return x;
  Shape shape = x.shape;
  shape[static_cast<std::size_t>(axis)] = n;
  WholeArray<W> y(shape);
  for_each_pair_of_lines(x.shape, shape, axis,
                         [&](std::int64_t in, std::int64_t out, std::int64_t step) {
                           const auto set = [&](std::int64_t k, std::int64_t j, W factor) {
                             y.re[static_cast<std::size_t>(out + k * step)] =
                                 factor * x.re[static_cast<std::size_t>(in + j * step)];
                             y.im[static_cast<std::size_t>(out + k * step)] =
                                 factor * x.im[static_cast<std::size_t>(in + j * step)];
                           };
                           for (std::int64_t j = 0; j < m; ++j)
                             set(index_of_mode(j, m, n, both_signs), j, 1);
                           if (!both_signs || m % 2 != 0) return;
                           set(m / 2, m / 2, W(0.5));
                           set(n - m / 2, m / 2, W(0.5));
                         });
  return y;
}

/// Returns half spectra of n points: the given lowest wavenumbers, and zeros. If m < n is even,
/// element m/2 is halved, and its imaginary part is dropped.
template <class W>
WholeArray<W> spread_half(WholeArray<W> x, int axis, std::int64_t m, std::int64_t n) {
  if (m == n) return x;
  if (m % 2 == 0)
    for_each_line(x.shape, axis, [&](std::int64_t first, std::int64_t step) {
      x.re[static_cast<std::size_t>(first + m / 2 * step)] /= 2;
      x.im[static_cast<std::size_t>(first + m / 2 * step)] = 0;
    });
  return with_extent(x, axis, n / 2 + 1);
}

inline long double reference_scale(const Problem& problem, bool forward) {
  long double points = 1;
  for (const int axis : problem.axes) {
    const std::int64_t n = problem.shape[static_cast<std::size_t>(axis)];
    points *= static_cast<long double>(logical_length(problem.kind_of(axis), n));
  }
  switch (problem.norm) {
    case Norm::none:
      return 1;
    case Norm::ortho:
      return 1 / std::sqrt(points);
    case Norm::backward:
      return forward ? 1 : 1 / points;
    case Norm::forward:
      return forward ? 1 / points : 1;
  }
  return 1;
}

/// Returns the result of forward or backward for the whole array. Where weft's array is real, the
/// imaginary parts are zero up to rounding.
template <class W>
WholeArray<W> reference_transform(const Problem& problem, bool forward, WholeArray<W> x) {
  const int sign = forward ? problem.sign : -problem.sign;
  const bool r2c = problem.has_halved_axis();
  const int halved = r2c ? problem.halved_axis() : -1;
  for (int axis : problem.axes) {
    if (axis == halved) continue;
    const Kind kind = problem.kind_of(axis);
    const bool both_signs = has_both_signs(kind);
    const std::int64_t n = problem.shape[static_cast<std::size_t>(axis)];
    x = forward ? with_extent(x, axis, n) : spread_modes(x, axis, both_signs, n);
    if (is_real_kind(kind))
      transform_real_axis(x, axis, forward ? kind : inverse_of(kind), problem.norm == Norm::ortho);
    else
      transform_axis(x, axis, sign);
    x = forward ? kept_modes(x, axis, both_signs, problem.modes_of(axis))
                : with_extent(x, axis, problem.support_of(axis));
  }
  if (r2c) {
    const std::int64_t n = problem.shape[static_cast<std::size_t>(halved)];
    const std::int64_t m = problem.modes_of(halved);
    x = forward ? with_extent(x, halved, n)
                : completed_by_symmetry(spread_half(x, halved, m, n), halved, n);
    transform_axis(x, halved, sign);
    x = forward ? with_extent(kept_modes(x, halved, true, m), halved, m / 2 + 1)
                : with_extent(x, halved, problem.support_of(halved));
  }
  const W scale = static_cast<W>(reference_scale(problem, forward));
  for (auto* part : {&x.re, &x.im})
    for (W& value : *part) value *= scale;
  return x;
}

/// The accuracy that weft promises: 3 eps sqrt(max(1, log2 N)), relative, in the L2 norm.
inline double allowed_error(Precision precision, std::int64_t points) {
  const double eps = precision == Precision::f32   ? 0x1p-24
                     : precision == Precision::f64 ? 0x1p-53
                                                   : 0x1p-64;
  return 3 * eps * std::sqrt(std::max(1.0, std::log2(static_cast<double>(points))));
}

}  // namespace weft::test_support
