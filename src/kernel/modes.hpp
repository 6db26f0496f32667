#pragma once

#include <algorithm>
#include <cstdint>

#include "kernel/line_problem.hpp"

namespace weft::kernel {

/// The m lowest wavenumbers of lines of n points. The lines are transformed whole. On a Fourier
/// line, the wavenumbers are 0 .. (m-1)/2 and -(m-1)/2 .. -1. If m is even, a middle element stands
/// for both m/2 and -m/2. After forward, this element is the sum of the two. Before backward, each
/// of the two gets half of this element.
struct Modes {
  LineKind kind = {};       ///< of the transform, forward or backward
  std::int64_t length = 1;  ///< points in real space
  std::int64_t count = 1;   ///< m, at most n

  /// Elements of a line in the array.
  std::int64_t stored() const { return kind.is_halved() ? count / 2 + 1 : count; }
};

/// Points of one or several lines: point i is `width` reals from `start + i*step` on.
template <class Real>
struct LinePoints {
  Real* start;
  std::int64_t step;
  std::int64_t width;

  Real* operator[](std::int64_t point) const { return start + point * step; }
  /// Returns whether the points are contiguous. One long copy is then much faster than many short
  /// copies.
  bool are_contiguous() const { return step == width; }
};

/// Sets the points from `first` to `end` to zero.
template <class Real>
void clear_points(const LinePoints<Real>& points, std::int64_t first, std::int64_t end) {
  if (points.are_contiguous()) {
    std::fill_n(points[first], std::max<std::int64_t>(0, end - first) * points.width, Real(0));
    return;
  }
  for (std::int64_t i = first; i < end; ++i) std::fill_n(points[i], points.width, Real(0));
}

/// Turns whole spectra into stored elements: moves the lowest wavenumbers to the first places.
template <class Real>
void keep_modes(const Modes& modes, const LinePoints<Real>& points);

/// The reverse of keep_modes(): turns stored elements into whole spectra. Higher wavenumbers become
/// zero.
template <class Real>
void spread_modes(const Modes& modes, const LinePoints<Real>& points);

}  // namespace weft::kernel
