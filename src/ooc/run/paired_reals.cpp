#include "ooc/run/paired_reals.hpp"

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
void pack_pair(std::complex<Real>& one, std::complex<Real>& other, std::complex<double> root) {
  const std::complex<Real> sum = one + std::conj(other);
  const std::complex<Real> difference = one - std::conj(other);
  const auto re = static_cast<Real>(root.real());
  const auto im = static_cast<Real>(root.imag());
  // i times w times the difference.
  const std::complex<Real> odd{-difference.imag() * re - difference.real() * im,
                               difference.real() * re - difference.imag() * im};
  other = std::conj(sum - odd);
  one = sum + odd;
}

/// Columns of a part.
struct Columns {
  std::int64_t first = 0;
  std::int64_t count = 0;
};

Columns columns_of(const KPass& pass, const Panel& panel) {
  if (pass.packs_reals) return {panel.rest, panel.rests};
  return {panel.inner, panel.inners};
}

/// Calls visit(one, other, root) for each pair of elements k and N/2 - k, except k = 0. Element k
/// is in row k / columns and column k % columns of the parts.
template <class Real, class Visit>
void for_each_pair(const KPass& pass, const std::vector<Panel>& parts,
                   const kernel::RowTwiddles& twiddles, int threads, std::complex<Real>* memory,
                   Visit&& visit) {
  const std::int64_t radix = pass.radix;
  const std::int64_t columns = pass.packs_reals ? pass.rest : pass.inner;
  const Columns main = columns_of(pass, parts[0]);
  const auto root = [&](std::int64_t row, std::int64_t column) {
    return twiddles.at(column + columns * row);
  };
  if (parts.size() > 1) {
    auto* behind = memory + elements(pass, parts[0]);
    const Columns mirror = columns_of(pass, parts[1]);
#pragma omp parallel for num_threads(threads) if (threads > 1)
    for (std::int64_t row = 0; row < radix; ++row)
      for (std::int64_t column = mirror.first; column < mirror.first + mirror.count; ++column)
        visit(memory[row * main.count + columns - column - main.first],
              behind[(radix - 1 - row) * mirror.count + column - mirror.first],
              root(row, columns - column));
  }
  const auto at = [&](std::int64_t row, std::int64_t column) -> std::complex<Real>& {
    return memory[row * main.count + column - main.first];
  };
  const std::int64_t middle = columns / 2;
  if (columns % 2 == 0 && middle < main.first + main.count)
    for (std::int64_t row = 0; row < (radix + 1) / 2; ++row)
      visit(at(row, middle), at(radix - 1 - row, middle), root(row, middle));
  if (main.first > 0) return;
  for (std::int64_t row = 1; row <= radix / 2; ++row)
    visit(at(row, 0), at(radix - row, 0), root(row, 0));
}

template <class Real>
void unpack(const KPass& pass, const std::vector<Panel>& parts, const kernel::RowTwiddles& twiddles,
            int threads, std::complex<Real>* memory) {
  for_each_pair(pass, parts, twiddles, threads, memory,
                [](auto& one, auto& other, auto root) { unpack_pair(one, other, root); });
  if (!has_last_element(pass, parts)) return;
  std::complex<Real>& last = memory[elements(pass, parts) - 1];
  last = memory[0];
  unpack_pair(memory[0], last, {1, 0});
}

template <class Real>
void pack(const KPass& pass, const std::vector<Panel>& parts, const kernel::RowTwiddles& twiddles,
          int threads, std::complex<Real>* memory) {
  for_each_pair(pass, parts, twiddles, threads, memory,
                [](auto& one, auto& other, auto root) { pack_pair(one, other, root); });
  if (!has_last_element(pass, parts)) return;
  const Real first = memory[0].real();
  const Real last = memory[elements(pass, parts) - 1].real();
  memory[0] = {first + last, first - last};
}

}  // namespace

void unpack_reals(const KPass& pass, const std::vector<Panel>& parts,
                  const kernel::RowTwiddles& twiddles, Precision precision, int threads,
                  void* memory) {
  if (precision == Precision::f32)
    unpack(pass, parts, twiddles, threads, static_cast<std::complex<float>*>(memory));
  else
    unpack(pass, parts, twiddles, threads, static_cast<std::complex<double>*>(memory));
}

void pack_reals(const KPass& pass, const std::vector<Panel>& parts,
                const kernel::RowTwiddles& twiddles, Precision precision, int threads,
                void* memory) {
  if (precision == Precision::f32)
    pack(pass, parts, twiddles, threads, static_cast<std::complex<float>*>(memory));
  else
    pack(pass, parts, twiddles, threads, static_cast<std::complex<double>*>(memory));
}

}  // namespace weft::ooc
