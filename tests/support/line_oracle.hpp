#pragma once

#include <cstdint>
#include <map>
#include <numbers>
#include <random>
#include <utility>
#include <vector>

#include "kernel/engine.hpp"

namespace weft::kernel {

// The oracle is a direct DFT in the type Wide. With a compiler that has a 128-bit type, Wide is
// wider than every precision under test.
#ifdef __SIZEOF_FLOAT128__
__extension__ using Wide = __float128;
#else
using Wide = long double;
#endif

struct WideComplex {
  Wide re = 0;
  Wide im = 0;
};

/// Returns exp(-2*pi*i*j/n) for 0 <= j < n. Uses a Taylor series, because no portable cosine of
/// Wide exists. The angle is reduced to [-pi, pi).
inline WideComplex root(std::int64_t j, std::int64_t n) {
  const Wide pi = Wide(std::numbers::pi_v<long double>) + Wide(-5.0165576126683320235e-20L);
  if (2 * j > n) j -= n;
  const Wide angle = -2 * pi * Wide(j) / Wide(n);
  WideComplex sum;
  Wide term = 1;
  for (int k = 0; k < 60; ++k) {
    Wide& part = k % 2 == 0 ? sum.re : sum.im;
    part += k % 4 < 2 ? term : -term;
    term *= angle / Wide(k + 1);
  }
  return sum;
}

inline std::vector<WideComplex> direct_dft(const std::vector<WideComplex>& x, bool forward) {
  const auto n = static_cast<std::int64_t>(x.size());
  std::vector<WideComplex> roots;
  for (std::int64_t j = 0; j < n; ++j) roots.push_back(root(j, n));
  std::vector<WideComplex> result(x.size());
  for (std::int64_t k = 0; k < n; ++k) {
    WideComplex sum;
    for (std::int64_t j = 0; j < n; ++j) {
      const WideComplex& w = roots[j * k % n];
      const Wide im = forward ? w.im : -w.im;
      sum.re += x[j].re * w.re - x[j].im * im;
      sum.im += x[j].re * im + x[j].im * w.re;
    }
    result[k] = sum;
  }
  return result;
}

/// One line and its transform, as reals in the order of memory. Every input value is exact in
/// float, so the same reference fits every precision.
struct Reference {
  std::vector<float> input;
  std::vector<Wide> output;
};

/// Returns a random line of n elements; for c2r, the whole spectrum of a real line. The result
/// depends only on kind and length, so reference_of() can keep its transform.
inline std::vector<WideComplex> random_line(LineKind kind, std::int64_t n) {
  std::mt19937 random(static_cast<unsigned>(n));
  std::uniform_real_distribution<float> uniform(-1, 1);
  std::vector<WideComplex> x(static_cast<std::size_t>(n));
  for (auto& value : x) value = {uniform(random), kind == LineKind::r2c ? 0 : uniform(random)};
  if (kind != LineKind::c2r) return x;
  for (std::int64_t k = 0; k <= n / 2; ++k) {
    if (k == 0 || 2 * k == n) x[k].im = 0;
    x[(n - k) % n] = {x[k].re, -x[k].im};
  }
  return x;
}

inline Reference computed_reference(LineKind kind, std::int64_t n) {
  const auto x = random_line(kind, n);
  const auto y = direct_dft(x, kind == LineKind::c2c_forward || kind == LineKind::r2c);
  LineProblem problem{.kind = kind, .length = n};
  Reference reference;
  for (std::int64_t i = 0; i < input_elements(problem); ++i) {
    reference.input.push_back(static_cast<float>(x[i].re));
    if (kind != LineKind::r2c) reference.input.push_back(static_cast<float>(x[i].im));
  }
  for (std::int64_t i = 0; i < output_elements(problem); ++i) {
    reference.output.push_back(y[i].re);
    if (kind != LineKind::c2r) reference.output.push_back(y[i].im);
  }
  return reference;
}

inline const Reference& reference_of(LineKind kind, std::int64_t n) {
  static std::map<std::pair<LineKind, std::int64_t>, Reference> known;
  auto [entry, is_new] = known.try_emplace({kind, n});
  if (is_new) entry->second = computed_reference(kind, n);
  return entry->second;
}

}  // namespace weft::kernel
