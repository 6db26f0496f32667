#pragma once

#include <complex>
#include <cstdint>
#include <memory>
#include <string>

#include "base/roots.hpp"

namespace weft::kernel {

/// Computes exp(-2*pi*i * e/n) for any 0 <= e < n, and multiplies lines by these factors.
///
/// Accuracy  the error of each factor is at most 3 units in the last place of the requested type.
/// Memory    96 * sqrt(n) bytes, at most twice that: 3 MiB for 2^30 points, 96 MiB for 2^40.
class Twiddles {
 public:
  explicit Twiddles(std::int64_t n) : wide_(n, -1), doubles_(n, -1) {}

  /// Multiplies element k of a line of `count` complex numbers by root(j*k), or by its conjugate.
  /// Needs (count - 1) * j < n. Cost: two complex products for each element, and two look-ups for
  /// each 32 elements.
  template <class T>
  void multiply(T* line, std::int64_t count, std::int64_t j, bool conjugate) const;

  /// Returns exp(-2*pi*i * e/n).
  std::complex<long double> root(std::int64_t e) const { return wide_.at(e); }

 private:
  RootTables<long double> wide_;
  RootTables<double> doubles_;  ///< used for products in f32 and f64: faster, and exact enough
};

/// Names the instructions with which weft multiplies by twiddles. Those with fused products round
/// differently.
std::string twiddle_instructions();

/// Returns the shared twiddles of n. They are freed with their last user. Thread-safe.
std::shared_ptr<const Twiddles> twiddles_of(std::int64_t n);

}  // namespace weft::kernel
