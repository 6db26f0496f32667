#include "base/roots.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <numbers>
#include <string>
#include <utility>

#include <weft/error.hpp>

namespace weft {
namespace {

__extension__ using WideProduct = unsigned __int128;

constexpr std::int64_t longest = std::int64_t{1} << 62;

/// Half of the bits of m go to each table.
int shift_of(std::int64_t n) {
  return static_cast<int>(std::bit_width(static_cast<std::uint64_t>(n - 1)) + 1) / 2;
}

std::int64_t coarse_entries(std::int64_t n) { return ((n - 1) >> shift_of(n)) + 1; }

std::int64_t fine_entries(std::int64_t n) { return std::min(std::int64_t{1} << shift_of(n), n); }

}  // namespace

std::int64_t product_mod(std::int64_t a, std::int64_t b, std::int64_t n) {
  return static_cast<std::int64_t>(static_cast<WideProduct>(a) * static_cast<WideProduct>(b) %
                                   static_cast<WideProduct>(n));
}

std::complex<long double> root_of_unity(std::int64_t m, std::int64_t n) {
  const WideProduct eighths = WideProduct(8) * static_cast<WideProduct>(m);
  const auto octant = static_cast<int>(eighths / static_cast<WideProduct>(n));
  auto rest = static_cast<std::int64_t>(eighths % static_cast<WideProduct>(n));
  if (octant % 2 == 1) rest = n - rest;  // measured from the nearest axis
  const long double angle = std::numbers::pi_v<long double> / 4 * static_cast<long double>(rest) /
                            static_cast<long double>(n);
  long double re = std::cos(angle);
  long double im = std::sin(angle);
  if (octant % 4 == 1 || octant % 4 == 2) std::swap(re, im);
  if (octant >= 2 && octant < 6) re = -re;
  if (octant >= 4) im = -im;
  return {re, im};
}

template <class Real>
RootTables<Real>::RootTables(std::int64_t n, int sign)
    : n_(n), shift_(shift_of(n)), mask_((std::int64_t{1} << shift_) - 1) {
  if (n < 1 || n > longest || (sign != 1 && sign != -1))
    throw Error(ErrorCode::invalid_argument,
                "roots of unity have a length from 1 to 2^62 and a sign of -1 or 1; given length " +
                    std::to_string(n) + " and sign " + std::to_string(sign) +
                    "; give the length of the transform");
  for (std::int64_t i = 0; i < coarse_entries(n); ++i) {
    const std::complex<long double> root = root_of_unity(i << shift_, n);
    coarse_.emplace_back(static_cast<Real>(root.real()), static_cast<Real>(sign * root.imag()));
  }
  for (std::int64_t i = 0; i < fine_entries(n); ++i) {
    const std::complex<long double> root = root_of_unity(i, n);
    fine_.emplace_back(static_cast<Real>(root.real() - 1), static_cast<Real>(sign * root.imag()));
  }
}

template <class Real>
std::int64_t RootTables<Real>::table_bytes(std::int64_t n) {
  return (coarse_entries(n) + fine_entries(n)) *
         static_cast<std::int64_t>(sizeof(std::complex<Real>));
}

template class RootTables<double>;
template class RootTables<long double>;

}  // namespace weft
