#pragma once

#include <complex>
#include <cstdint>
#include <vector>

namespace weft {

/// Returns a * b mod n, exact for all 64-bit a, b >= 0 and n > 0.
std::int64_t product_mod(std::int64_t a, std::int64_t b, std::int64_t n);

/// Returns exp(2*pi*i * m/n) for 0 <= m < n < 2^63. The angle is reduced in whole numbers to at
/// most pi/4, so that no bit of m is lost.
std::complex<long double> root_of_unity(std::int64_t m, std::int64_t n);

/// exp(sign*2*pi*i * m/n) for 0 <= m < n, without a table of n numbers.
///
/// Two tables: the roots of multiples of T = 2^s, and those of 0..T-1 less 1. The latter are small,
/// so their product with the former adds almost no error: the sum of both is as exact as its last
/// rounding allows.
///
/// Real    double or long double.
/// Memory  4 * sqrt(n) reals, up to twice that: for doubles 2^20 entries in each table for n =
///         2^40.
/// Source  the two tables of Bailey 1990.
template <class Real>
class RootTables {
 public:
  /// Errors  Error(invalid_argument) unless 1 <= n <= 2^62 and sign is -1 or 1; out_of_memory.
  /// Cost    O(sqrt n) sines.
  RootTables(std::int64_t n, int sign);

  /// Returns the bytes of the tables of a length.
  static std::int64_t table_bytes(std::int64_t n);

  std::int64_t length() const { return n_; }

  /// Returns a root. Errors below 1.5 units of the last place of 1 in each part, if long double has
  /// more bits.
  std::complex<Real> at(std::int64_t m) const {
    const std::complex<Real>& coarse = coarse_[static_cast<std::size_t>(m >> shift_)];
    const std::complex<Real>& fine = fine_[static_cast<std::size_t>(m & mask_)];
    return {coarse.real() + (coarse.real() * fine.real() - coarse.imag() * fine.imag()),
            coarse.imag() + (coarse.real() * fine.imag() + coarse.imag() * fine.real())};
  }

 private:
  std::int64_t n_;
  int shift_;
  std::int64_t mask_;
  std::vector<std::complex<Real>> coarse_;
  std::vector<std::complex<Real>> fine_;  ///< less 1
};

}  // namespace weft
