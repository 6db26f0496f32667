#include "ooc/run/unpack_reals.hpp"

#include <complex>

namespace weft::ooc {
namespace {

template <class Real>
void unpack_pair(std::complex<Real>& one, std::complex<Real>& other, std::complex<double> root) {
  const std::complex<Real> sum = one + std::conj(other);
  const std::complex<Real> difference = one - std::conj(other);
  const auto re = static_cast<Real>(root.real());
  const auto im = static_cast<Real>(root.imag());
  // w times the difference over i.
  const std::complex<Real> odd{difference.imag() * re + difference.real() * im,
                               difference.imag() * im - difference.real() * re};
  other = std::conj(sum - odd) * Real(0.5);
  one = (sum + odd) * Real(0.5);
}

template <class Real>
void unpack(const FftPass& pass, const std::vector<Panel>& parts, const Twiddles& twiddles,
            int threads, std::complex<Real>* memory) {
  const Panel& main = parts[0];
  auto* behind = memory + elements(pass, main);
  const std::int64_t radix = pass.radix;
  const auto root = [&](std::int64_t row, std::int64_t column) {
    return twiddles.at(column + pass.inner * row);
  };
  if (parts.size() > 1) {
    const Panel& mirror = parts[1];
#pragma omp parallel for num_threads(threads) if (threads > 1)
    for (std::int64_t row = 0; row < radix; ++row)
      for (std::int64_t column = mirror.inner; column < mirror.inner + mirror.inners; ++column)
        unpack_pair(memory[row * main.inners + pass.inner - column - main.inner],
                    behind[(radix - 1 - row) * mirror.inners + column - mirror.inner],
                    root(row, pass.inner - column));
    behind += elements(pass, mirror);
  }
  const auto at = [&](std::int64_t row, std::int64_t column) -> std::complex<Real>& {
    return memory[row * main.inners + column - main.inner];
  };
  const std::int64_t middle = pass.inner / 2;
  if (pass.inner % 2 == 0 && middle < main.inner + main.inners)
    for (std::int64_t row = 0; row < (radix + 1) / 2; ++row)
      unpack_pair(at(row, middle), at(radix - 1 - row, middle), root(row, middle));
  if (main.inner > 0) return;
  *behind = at(0, 0);
  unpack_pair(at(0, 0), *behind, root(0, 0));
  for (std::int64_t row = 1; row <= radix / 2; ++row)
    unpack_pair(at(row, 0), at(radix - row, 0), root(row, 0));
}

}  // namespace

void unpack_reals(const FftPass& pass, const std::vector<Panel>& parts, const Twiddles& twiddles,
                  Precision precision, int threads, void* memory) {
  if (precision == Precision::f32)
    unpack(pass, parts, twiddles, threads, static_cast<std::complex<float>*>(memory));
  else
    unpack(pass, parts, twiddles, threads, static_cast<std::complex<double>*>(memory));
}

}  // namespace weft::ooc
