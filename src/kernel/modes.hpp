#pragma once

#include <algorithm>
#include <cstdint>

#include "kernel/line_problem.hpp"

namespace weft::kernel {

/// The lowest wavenumbers of lines that are transformed whole. Of a Fourier line of n points these
/// are 0 .. (m-1)/2 and -(m-1)/2 .. -1. If m is even, their middle element has m/2 and -m/2
/// together: the sum of both after forward, half of it for each before backward.
struct Modes {
  LineKind kind = {};       ///< of the transform, in either direction
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
};

/// Sets the points from `first` to `end` to zero.
template <class Real>
void clear_points(const LinePoints<Real>& points, std::int64_t first, std::int64_t end) {
  for (std::int64_t i = first; i < end; ++i) std::fill_n(points[i], points.width, Real(0));
}

/// Moves the stored elements of a whole spectrum to its first places.
template <class Real>
void keep_modes(const Modes& modes, const LinePoints<Real>& points);

/// Makes whole spectra of stored elements: the reverse of keep_modes, with zeros for the others.
template <class Real>
void spread_modes(const Modes& modes, const LinePoints<Real>& points);

}  // namespace weft::kernel
