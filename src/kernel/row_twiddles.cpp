#include "kernel/row_twiddles.hpp"

#include <algorithm>
#include <array>

namespace weft::kernel {
namespace {

/// Elements of a row that are computed from one look-up in the coarse table.
constexpr std::int64_t row_block = 64;

}  // namespace

template <class Real>
void RowTwiddles::row(std::int64_t step, std::int64_t count, std::complex<Real>* out) const {
  std::array<double, row_block> re;
  std::array<double, row_block> im;
  const std::int64_t n = length();
  std::int64_t m = 0;
  for (std::int64_t k = 0; k < std::min(row_block, count); ++k) {
    const std::complex<double> w = at(m);
    re[static_cast<std::size_t>(k)] = w.real();
    im[static_cast<std::size_t>(k)] = w.imag();
    m = m < n - step ? m + step : m - (n - step);
  }
  for (std::int64_t first = 0; first < count; first += row_block) {
    const std::complex<double> w = at(product_mod(first, step, n));
    const auto width = static_cast<std::size_t>(std::min(row_block, count - first));
    for (std::size_t k = 0; k < width; ++k)
      out[first + static_cast<std::int64_t>(k)] = {
          static_cast<Real>(w.real() * re[k] - w.imag() * im[k]),
          static_cast<Real>(w.real() * im[k] + w.imag() * re[k])};
  }
}

template void RowTwiddles::row(std::int64_t, std::int64_t, std::complex<float>*) const;
template void RowTwiddles::row(std::int64_t, std::int64_t, std::complex<double>*) const;

}  // namespace weft::kernel
