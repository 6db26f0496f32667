#pragma once

#include <complex>
#include <cstdint>
#include <vector>

namespace weft::ooc {

/// a * b mod n, exact for all 64-bit a, b >= 0 and n > 0.
std::int64_t product_mod(std::int64_t a, std::int64_t b, std::int64_t n);

/// exp(sign*2*pi*i*m/n) for 0 <= m < n, without a table of n numbers.
///
/// Two tables: the roots of multiples of T = 2^s, and those of 0..T-1 less 1. The latter are small,
/// so that their product with the former adds next to no error: the sum of both is as exact as its
/// last rounding allows. Tables are made with angles reduced to an octant in integers.
class Twiddles {
 public:
  /// sign is -1 (forward) or 1.
  /// Errors  Error(invalid_argument) unless 1 <= n <= 2^62 and sign is -1 or 1; out_of_memory.
  /// Cost    O(sqrt n) sines; 2^20 entries in each table for n = 2^40.
  Twiddles(std::int64_t n, int sign);

  /// What the tables of a length take.
  static std::int64_t table_bytes(std::int64_t n);

  std::int64_t length() const { return n_; }

  /// Errors below 1.5*2^-53 in each part, for a long double of 64 bits.
  std::complex<double> at(std::int64_t m) const {
    const std::complex<double>& coarse = coarse_[static_cast<std::size_t>(m >> shift_)];
    const std::complex<double>& fine = fine_[static_cast<std::size_t>(m & mask_)];
    return {coarse.real() + (coarse.real() * fine.real() - coarse.imag() * fine.imag()),
            coarse.imag() + (coarse.real() * fine.imag() + coarse.imag() * fine.real())};
  }

  /// out[k] = at(k*step mod n) for k < count, 0 <= step < n. One product for each element and two
  /// look-ups for each 64; errors below 2^-51.
  template <class Real>
  void row(std::int64_t step, std::int64_t count, std::complex<Real>* out) const;

 private:
  std::int64_t n_;
  int shift_;
  std::int64_t mask_;
  std::vector<std::complex<double>> coarse_;
  std::vector<std::complex<double>> fine_;  ///< less 1
};

}  // namespace weft::ooc
