#include "ooc/twiddles.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <numbers>
#include <string>
#include <utility>

#include <weft/error.hpp>

namespace weft::ooc {
namespace {

__extension__ using Wide = unsigned __int128;

constexpr std::int64_t longest = std::int64_t{1} << 62;
/// Elements of a row that are made from one look-up of the coarse table.
constexpr std::int64_t row_block = 64;

struct Root {
  long double re, im;
};

/// exp(2*pi*i*m/n). The angle is reduced in integers to at most pi/4, so that no bit of m is lost.
Root root(std::int64_t m, std::int64_t n) {
  const Wide eighths = Wide(8) * static_cast<Wide>(m);
  const auto octant = static_cast<int>(eighths / static_cast<Wide>(n));
  auto rest = static_cast<std::int64_t>(eighths % static_cast<Wide>(n));
  if (octant % 2 == 1) rest = n - rest;  // measured from the axis that is nearest
  const long double angle = std::numbers::pi_v<long double> / 4 * static_cast<long double>(rest) /
                            static_cast<long double>(n);
  long double re = std::cos(angle);
  long double im = std::sin(angle);
  if (octant % 4 == 1 || octant % 4 == 2) std::swap(re, im);
  if (octant >= 2 && octant < 6) re = -re;
  if (octant >= 4) im = -im;
  return {re, im};
}

/// Half of the bits of m go to each table.
int shift_of(std::int64_t n) { return (std::bit_width(static_cast<std::uint64_t>(n - 1)) + 1) / 2; }

std::int64_t coarse_entries(std::int64_t n) { return ((n - 1) >> shift_of(n)) + 1; }

}  // namespace

std::int64_t product_mod(std::int64_t a, std::int64_t b, std::int64_t n) {
  return static_cast<std::int64_t>(static_cast<Wide>(a) * static_cast<Wide>(b) %
                                   static_cast<Wide>(n));
}

Twiddles::Twiddles(std::int64_t n, int sign) : n_(n) {
  if (n < 1 || n > longest || (sign != 1 && sign != -1))
    throw Error(ErrorCode::invalid_argument,
                "roots of unity have a length from 1 to 2^62 and a sign of -1 or 1; given length " +
                    std::to_string(n) + " and sign " + std::to_string(sign) +
                    "; give the length of the transform");
  shift_ = shift_of(n);
  mask_ = (std::int64_t{1} << shift_) - 1;
  for (std::int64_t i = 0; i < coarse_entries(n); ++i) {
    const Root r = root(i << shift_, n);
    coarse_.emplace_back(static_cast<double>(r.re), static_cast<double>(sign * r.im));
  }
  for (std::int64_t i = 0; i <= std::min(mask_, n - 1); ++i) {
    const Root r = root(i, n);
    fine_.emplace_back(static_cast<double>(r.re - 1), static_cast<double>(sign * r.im));
  }
}

std::int64_t Twiddles::table_bytes(std::int64_t n) {
  const std::int64_t fine = std::min(std::int64_t{1} << shift_of(n), n);
  return (coarse_entries(n) + fine) * static_cast<std::int64_t>(sizeof(std::complex<double>));
}

template <class Real>
void Twiddles::row(std::int64_t step, std::int64_t count, std::complex<Real>* out) const {
  std::array<double, row_block> re;
  std::array<double, row_block> im;
  std::int64_t m = 0;
  for (std::int64_t k = 0; k < std::min(row_block, count); ++k) {
    const std::complex<double> w = at(m);
    re[static_cast<std::size_t>(k)] = w.real();
    im[static_cast<std::size_t>(k)] = w.imag();
    m = m < n_ - step ? m + step : m - (n_ - step);
  }
  for (std::int64_t first = 0; first < count; first += row_block) {
    const std::complex<double> w = at(product_mod(first, step, n_));
    const auto width = static_cast<std::size_t>(std::min(row_block, count - first));
    for (std::size_t k = 0; k < width; ++k)
      out[first + static_cast<std::int64_t>(k)] = {
          static_cast<Real>(w.real() * re[k] - w.imag() * im[k]),
          static_cast<Real>(w.real() * im[k] + w.imag() * re[k])};
  }
}

template void Twiddles::row(std::int64_t, std::int64_t, std::complex<float>*) const;
template void Twiddles::row(std::int64_t, std::int64_t, std::complex<double>*) const;

}  // namespace weft::ooc
