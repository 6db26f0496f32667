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
/// A root is coarse + coarse * fine, from two tables. The coarse table has the roots of the
/// multiples of T = 2^s. The fine table has the roots of 0..T-1, with 1 subtracted. Its numbers are
/// small, so the product adds almost no error: only the rounding of the sum matters.
///
/// Real    double or long double.
/// Memory  between 4 * sqrt(n) and 8 * sqrt(n) reals. With n = 2^40 each table has about 2^20
///         entries.
/// Source  the two tables of Bailey 1990.
template <class Real>
class RootTables {
 public:
  /// Errors  Error(invalid_argument) unless 1 <= n <= 2^62 and sign is -1 or 1; out_of_memory.
  /// Cost    O(sqrt n) sines.
  RootTables(std::int64_t n, int sign);

  /// Returns the bytes of the tables for a length.
  static std::int64_t table_bytes(std::int64_t n);

  std::int64_t length() const { return n_; }

  /// Returns a root. The error of each part is below 1.5 units in the last place of 1, if long
  /// double has more bits than Real.
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
  std::vector<std::complex<Real>> fine_;  ///< roots minus 1
};

}  // namespace weft
