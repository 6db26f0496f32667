#include "kernel/modes.hpp"

#include <algorithm>

namespace weft::kernel {
namespace {

template <class Real>
void copy_point(const LinePoints<Real>& points, std::int64_t to, std::int64_t from) {
  std::copy_n(points[from], points.width, points[to]);
}

/// Multiplies the real parts of complex numbers by a factor. Sets their imaginary parts to 0, as
/// the symmetry of a halved axis requires.
template <class Real>
void scale_real_parts(const LinePoints<Real>& points, std::int64_t point, Real factor) {
  Real* const numbers = points[point];
  for (std::int64_t i = 0; i < points.width; i += 2) {
    numbers[i] *= factor;
    numbers[i + 1] = 0;
  }
}

}  // namespace

template <class Real>
void keep_modes(const Modes& modes, const LinePoints<Real>& points) {
  const std::int64_t n = modes.length;
  const std::int64_t m = modes.count;
  if (m == n || !traits_of(modes.kind.kind).is_periodic()) return;
  const bool has_middle = m % 2 == 0;
  if (modes.kind.is_halved()) {
    if (has_middle) scale_real_parts(points, m / 2, Real(2));
    return;
  }
  if (has_middle) {
    const Real* const opposite = points[n - m / 2];
    Real* const middle = points[m / 2];
    for (std::int64_t i = 0; i < points.width; ++i) middle[i] += opposite[i];
  }
  const std::int64_t negatives = (m - 1) / 2;
  for (std::int64_t i = 0; i < negatives; ++i)
    copy_point(points, m - negatives + i, n - negatives + i);
}

template <class Real>
void spread_modes(const Modes& modes, const LinePoints<Real>& points) {
  const std::int64_t n = modes.length;
  const std::int64_t m = modes.count;
  if (m == n) return;
  if (!traits_of(modes.kind.kind).is_periodic()) return clear_points(points, m, n);
  const bool has_middle = m % 2 == 0;
  if (modes.kind.is_halved()) {
    if (has_middle) scale_real_parts(points, m / 2, Real(0.5));
    return clear_points(points, m / 2 + 1, n / 2 + 1);
  }
  const std::int64_t negatives = (m - 1) / 2;
  // The loop runs from the last element down, because old and new places can overlap.
  for (std::int64_t i = negatives - 1; i >= 0; --i)
    copy_point(points, n - negatives + i, m - negatives + i);
  std::int64_t first = m - negatives;
  std::int64_t end = n - negatives;
  if (has_middle) {
    Real* const middle = points[m / 2];
    for (std::int64_t i = 0; i < points.width; ++i) middle[i] *= Real(0.5);
    copy_point(points, n - m / 2, m / 2);
    --end;
  }
  clear_points(points, first, end);
}

template void keep_modes(const Modes&, const LinePoints<float>&);
template void keep_modes(const Modes&, const LinePoints<double>&);
template void keep_modes(const Modes&, const LinePoints<long double>&);
template void spread_modes(const Modes&, const LinePoints<float>&);
template void spread_modes(const Modes&, const LinePoints<double>&);
template void spread_modes(const Modes&, const LinePoints<long double>&);

}  // namespace weft::kernel
