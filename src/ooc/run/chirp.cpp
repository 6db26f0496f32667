#include "ooc/run/chirp.hpp"

#include <algorithm>
#include <complex>

namespace weft::ooc {
namespace {

/// Without the special cases of infinities that operator* has.
template <class Real>
std::complex<Real> product(std::complex<Real> a, std::complex<Real> b) {
  return {a.real() * b.real() - a.imag() * b.imag(), a.real() * b.imag() + a.imag() * b.real()};
}

/// Calls visit(element, chirp of j) for elements [first, first + count) and j from `j` on, by steps of
/// 1 or -1; all j are from 0 to n - 1.
template <class Real, class Visit>
void for_chirps(const Twiddles& roots, std::complex<Real>* first, std::int64_t count,
                std::int64_t j, std::int64_t step, Visit&& visit) {
  const std::int64_t turn = roots.length();  // 2n
  std::int64_t exponent = count > 0 ? product_mod(j, j, turn) : 0;
  for (std::int64_t k = 0; k < count; ++k, j += step) {
    visit(first[k], std::complex<Real>(roots.at(exponent)));
    exponent += 2 * step * j + 1;  // to that of j + step
    if (exponent >= turn) exponent -= turn;
    if (exponent < 0) exponent += turn;
  }
}

template <class Real>
void multiply(const FftPass& pass, const Panel& panel, const Twiddles& roots, int threads,
              std::complex<Real>* memory) {
#pragma omp parallel for num_threads(threads) if (threads > 1)
  for (std::int64_t row = 0; row < pass.radix; ++row) {
    const std::int64_t j = row * pass.inner + panel.inner;
    for_chirps(roots, memory + row * panel.inners, std::min(panel.inners, pass.chirp_length - j), j,
               1, [](auto& element, auto chirp) { element = product(element, chirp); });
  }
}

template <class Real>
void make(const FftPass& pass, const Panel& panel, const Twiddles& roots, int threads,
          std::complex<Real>* memory) {
  const std::int64_t points = pass.radix * pass.inner;
  const std::int64_t n = pass.chirp_length;
  const auto put = [](auto& element, auto chirp) { element = std::conj(chirp); };
#pragma omp parallel for num_threads(threads) if (threads > 1)
  for (std::int64_t row = 0; row < pass.radix; ++row) {
    std::complex<Real>* line = memory + row * panel.inners;
    const std::int64_t j = row * pass.inner + panel.inner;
    std::fill(line, line + panel.inners, std::complex<Real>());
    for_chirps(roots, line, std::min(panel.inners, n - j), j, 1, put);
    // The first one that is some -i.
    const std::int64_t back = std::clamp(points - n + 1, j, j + panel.inners);
    for_chirps(roots, line + back - j, panel.inners - (back - j), points - back, -1, put);
  }
}

template <class Real>
void convolve(std::int64_t count, int threads, std::complex<Real>* memory) {
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

void multiply_by_chirp(const FftPass& pass, const Panel& panel, const Twiddles& roots,
                       Precision precision, int threads, void* memory) {
  with_numbers(precision, memory,
               [&](auto* numbers) { multiply(pass, panel, roots, threads, numbers); });
}

void make_kernel(const FftPass& pass, const Panel& panel, const Twiddles& roots,
                 Precision precision, int threads, void* memory) {
  with_numbers(precision, memory,
               [&](auto* numbers) { make(pass, panel, roots, threads, numbers); });
}

void multiply_by_kernel(std::int64_t count, Precision precision, int threads, void* memory) {
  with_numbers(precision, memory, [&](auto* numbers) { convolve(count, threads, numbers); });
}

}  // namespace weft::ooc
