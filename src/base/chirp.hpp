#pragma once

#include <algorithm>
#include <cstdint>

#include "base/roots.hpp"

namespace weft {

// Bluestein's algorithm: jk = (j^2 + k^2 - (k-j)^2)/2 turns a transform of n points into a
// convolution with a chirp, w(j) = exp(sign*pi*i*j^2/n) = exp(sign*2*pi*i * (j^2 mod 2n)/2n):
//
//   X[k] = w(k) * sum over j of (x[j] w(j)) * conj(w(k-j)).
//
// The exponents are whole numbers, so that no bit of j^2 is lost.

/// Calls visit(i, j^2 mod 2n) for i < count and j = first + i*step, with a step of 1 or -1. All j
/// are from 0 to n - 1.
template <class Visit>
void for_chirp(std::int64_t n, std::int64_t first, std::int64_t step, std::int64_t count,
               Visit&& visit) {
  if (count <= 0) return;
  const std::int64_t turn = 2 * n;
  std::int64_t exponent = product_mod(first, first, turn);
  for (std::int64_t i = 0, j = first; i < count; ++i, j += step) {
    visit(i, exponent);
    exponent += 2 * step * j + 1;  // the exponent of j + step
    if (exponent >= turn) exponent -= turn;
    if (exponent < 0) exponent += turn;
  }
}

/// The factor of a convolution of `points` points. It is the chirp's conjugate at the elements j
/// with 0 <= j < ahead, and at the elements points + j with -behind < j < 0. Other elements are 0.
/// `ahead` and `behind` are at most n, and their sum is at most points + 1.
struct ChirpKernel {
  std::int64_t n = 0;
  std::int64_t points = 0;
  std::int64_t ahead = 0;
  std::int64_t behind = 0;
};

/// Calls visit(i, exponent) for each i < count if element first + i of the kernel is the conjugate
/// of a chirp.
template <class Visit>
void for_kernel(const ChirpKernel& kernel, std::int64_t first, std::int64_t count, Visit&& visit) {
  for_chirp(kernel.n, first, 1, std::min(count, kernel.ahead - first), visit);
  const std::int64_t back = std::clamp(kernel.points - kernel.behind + 1, first, first + count);
  for_chirp(kernel.n, kernel.points - back, -1, first + count - back,
            [&](std::int64_t i, std::int64_t exponent) { visit(back - first + i, exponent); });
}

}  // namespace weft
