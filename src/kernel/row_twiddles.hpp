#pragma once

#include <complex>
#include <cstdint>

#include "base/roots.hpp"

namespace weft::kernel {

/// Computes exp(sign*2*pi*i*m/n) for 0 <= m < n from two tables of doubles, one number at a time or
/// in rows.
class RowTwiddles {
 public:
  /// sign is -1 (forward) or 1. Errors and cost: those of the tables.
  RowTwiddles(std::int64_t n, int sign) : tables_(n, sign) {}

  /// Returns the bytes of the tables of a length.
  static std::int64_t table_bytes(std::int64_t n) { return RootTables<double>::table_bytes(n); }

  std::int64_t length() const { return tables_.length(); }

  /// Returns a root of unity. The error of each part is below 1.5*2^-53, if long double has more
  /// bits than double.
  std::complex<double> at(std::int64_t m) const { return tables_.at(m); }

  /// Sets out[k] = at(k*step mod n) for k < count, 0 <= step < n. Cost: one product for each
  /// element; two look-ups for each 64 elements, and for each of the first 64. Errors are below
  /// 2^-51.
  template <class Real>
  void row(std::int64_t step, std::int64_t count, std::complex<Real>* out) const;

 private:
  RootTables<double> tables_;
};

}  // namespace weft::kernel
