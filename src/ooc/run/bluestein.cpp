#include "ooc/run/bluestein.hpp"

#include <algorithm>
#include <complex>

#include "base/chirp.hpp"

namespace weft::ooc {
namespace {

/// Multiplies without the special cases of std::complex for infinities.
template <class Real>
std::complex<Real> product(std::complex<Real> a, std::complex<Real> b) {
  return {a.real() * b.real() - a.imag() * b.imag(), a.real() * b.imag() + a.imag() * b.real()};
}

template <class Real>
void multiply(const KPass& pass, const Panel& panel, const kernel::RowTwiddles& roots, int threads,
              std::complex<Real>* memory) {
#pragma omp parallel for num_threads(threads) if (threads > 1)
  for (std::int64_t row = 0; row < pass.radix; ++row) {
    const std::int64_t j = row * pass.inner + panel.inner;
    std::complex<Real>* line = memory + row * panel.inners;
    for_chirp(pass.chirp_length, j, 1, std::min(panel.inners, pass.chirp_length - j),
              [&](std::int64_t i, std::int64_t exponent) {
                line[i] = product(line[i], std::complex<Real>(roots.at(exponent)));
              });
  }
}

template <class Real>
void make(const KPass& pass, const Panel& panel, const kernel::RowTwiddles& roots, int threads,
          std::complex<Real>* memory) {
  const std::int64_t n = pass.chirp_length;
  const ChirpKernel kernel{.n = n, .points = pass.radix * pass.inner, .ahead = n, .behind = n};
#pragma omp parallel for num_threads(threads) if (threads > 1)
  for (std::int64_t row = 0; row < pass.radix; ++row) {
    std::complex<Real>* line = memory + row * panel.inners;
    std::fill(line, line + panel.inners, std::complex<Real>());
    for_kernel(kernel, row * pass.inner + panel.inner, panel.inners,
               [&](std::int64_t i, std::int64_t exponent) {
                 line[i] = std::conj(std::complex<Real>(roots.at(exponent)));
               });
  }
}

template <class Real>
void multiply_by_second_half(std::int64_t count, int threads, std::complex<Real>* memory) {
#pragma omp parallel for num_threads(threads) if (threads > 1)
  for (std::int64_t k = 0; k < count; ++k) memory[k] = product(memory[k], memory[count + k]);
}

template <class Call>
void with_numbers(Precision precision, void* memory, Call&& call) {
  if (precision == Precision::f32)
    call(static_cast<std::complex<float>*>(memory));
  else
    call(static_cast<std::complex<double>*>(memory));
}

}  // namespace

void multiply_by_chirp(const KPass& pass, const Panel& panel, const kernel::RowTwiddles& roots,
                       Precision precision, int threads, void* memory) {
  with_numbers(precision, memory,
               [&](auto* numbers) { multiply(pass, panel, roots, threads, numbers); });
}

void make_kernel(const KPass& pass, const Panel& panel, const kernel::RowTwiddles& roots,
                 Precision precision, int threads, void* memory) {
  with_numbers(precision, memory,
               [&](auto* numbers) { make(pass, panel, roots, threads, numbers); });
}

void multiply_by_kernel(std::int64_t count, Precision precision, int threads, void* memory) {
  with_numbers(precision, memory,
               [&](auto* numbers) { multiply_by_second_half(count, threads, numbers); });
}

}  // namespace weft::ooc
