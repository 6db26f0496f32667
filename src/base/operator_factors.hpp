#pragma once

#include <cmath>
#include <cstdint>
#include <limits>

namespace weft {

// The factors by which operators multiply an element of a spectrum. Transforms in memory and out of
// core use the same factors.

/// Returns a value in another precision: infinite if it is too large.
template <class T>
T narrowed(long double value) {
  constexpr auto largest = static_cast<long double>(std::numeric_limits<T>::max());
  if (value > largest) return std::numeric_limits<T>::infinity();
  if (value < -largest) return -std::numeric_limits<T>::infinity();
  return static_cast<T>(value);
}

/// Returns 1 for 0, otherwise 0.
template <class T>
T one_for_zero(T value) {
  return value == T(0) ? T(1) : T(0);
}

/// Returns 1/value, or 0 for 0, without a branch, so that compilers vectorise loops with it.
template <class T>
T inverse_or_zero(T value) {
  const T is_zero = one_for_zero(value);
  return (T(1) - is_zero) / (value + is_zero);
}

/// Returns exp(-k^2 sigma^2 / 2) for a square k^2.
template <class T>
T gaussian_factor(T square, T sigma) {
  return std::exp(-square * sigma * sigma / 2);
}

/// Returns (i c)^order if `order` is even, and (i c)^order / i if it is odd. Both are real.
template <class T>
T derivative_factor(T c, std::int64_t order) {
  const T sign = order / 2 % 2 == 0 ? T(1) : T(-1);
  return sign * std::pow(c, static_cast<T>(order));
}

/// The factor 1 for low <= |k| <= high, otherwise 0. Wavenumbers in other units, and sums of
/// squares, have rounding errors, so the limits have a slack of a few `epsilon` of the array's
/// precision.
template <class T>
class BandFactor {
 public:
  BandFactor(double low, double high, long double epsilon) {
    const long double slack = 16 * epsilon;
    const long double from = low < 0 ? 0 : static_cast<long double>(low) * low;
    least_ = narrowed<T>(from * (1 - slack));
    most_ = narrowed<T>(static_cast<long double>(high) * high * (1 + slack));
  }

  /// Has no branches, so that compilers vectorise loops with it.
  T operator()(T square) const {
    return (square >= least_ ? T(1) : T(0)) * (square <= most_ ? T(1) : T(0));
  }

 private:
  T least_;
  T most_;
};

}  // namespace weft
