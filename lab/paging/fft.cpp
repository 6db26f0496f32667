// FFTs in memory, as in the demand paging of paper 003, one in each process:
//
//   fft cooley-tukey|stockham|swarztrauber LGN     prints seconds and the relative error of a plane wave's spectrum
//
// Textbook loops in double precision, on purpose: only their order of memory accesses matters.
#include <sys/prctl.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <complex>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <utility>
#include <vector>

namespace {

using Complex = std::complex<double>;
using Array = std::vector<Complex>;

constexpr double two_pi = 6.283185307179586476925286766559;

Complex root(std::int64_t k, std::int64_t n) {
  return std::polar(1.0, -two_pi * static_cast<double>(k % n) / static_cast<double>(n));
}

/// Returns a product without the tests for infinity of std::complex.
Complex product(Complex a, Complex b) {
  return {a.real() * b.real() - a.imag() * b.imag(), a.real() * b.imag() + a.imag() * b.real()};
}

/// Powers 0, 1, ... of a root of unity, by products, computed exactly every 64th time.
class Powers {
 public:
  Powers(std::int64_t step, std::int64_t n) : step_(step), n_(n), base_(root(step, n)) {}
  Complex next() {
    const Complex now = at_ % 64 == 0 ? root(at_ * step_, n_) : product(last_, base_);
    ++at_;
    return last_ = now;
  }

 private:
  std::int64_t step_, n_, at_ = 0;
  Complex base_, last_;
};

void reverse_bits(Complex* x, std::int64_t n) {
  for (std::int64_t j = 0, reversal = 0; j < n; ++j) {
    if (j < reversal) std::swap(x[j], x[reversal]);
    std::int64_t bit = n >> 1;
    for (; (reversal & bit) != 0; bit >>= 1) reversal ^= bit;
    reversal |= bit;
  }
}

void cooley_tukey(Complex* x, std::int64_t n) {
  reverse_bits(x, n);
  for (std::int64_t length = 2; length <= n; length *= 2)
    for (std::int64_t first = 0; first < n; first += length) {
      Powers roots(1, length);
      for (std::int64_t k = first; k < first + length / 2; ++k) {
        const Complex odd = product(roots.next(), x[k + length / 2]);
        x[k + length / 2] = x[k] - odd;
        x[k] += odd;
      }
    }
}

/// Transforms by radix 2 from one array into another and back: natural order without a permutation.
void stockham(Array& x) {
  const auto n = static_cast<std::int64_t>(x.size());
  Array other(x.size());
  Complex* from = x.data();
  Complex* to = other.data();
  std::int64_t count = n / 2;
  for (std::int64_t done = 1; done < n; done *= 2, count /= 2) {
    Powers roots(1, 2 * count);
    for (std::int64_t j = 0; j < count; ++j) {
      const Complex w = roots.next();
      for (std::int64_t k = 0; k < done; ++k) {
        const Complex a = from[j * done + k];
        const Complex b = from[(j + count) * done + k];
        to[2 * j * done + k] = a + b;
        to[(2 * j + 1) * done + k] = product(w, a - b);
      }
    }
    std::swap(from, to);
  }
  if (from != x.data()) x.swap(other);
}

void transpose(Complex* x, std::int64_t side) {
  constexpr std::int64_t tile = 16;
  for (std::int64_t i = 0; i < side; i += tile)
    for (std::int64_t j = i; j < side; j += tile)
      for (std::int64_t row = i; row < std::min(side, i + tile); ++row)
        for (std::int64_t column = std::max(j, row + 1); column < std::min(side, j + tile);
             ++column)
          std::swap(x[row * side + column], x[column * side + row]);
}

/// Does sqrt(N) transforms of sqrt(N) points, twiddles, and the same transforms again; N is a power of 4.
void swarztrauber(Array& x) {
  const auto n = static_cast<std::int64_t>(x.size());
  const auto side = static_cast<std::int64_t>(std::llround(std::sqrt(static_cast<double>(n))));
  transpose(x.data(), side);
  for (std::int64_t row = 0; row < side; ++row) {
    Complex* line = x.data() + row * side;
    cooley_tukey(line, side);
    Powers roots(row, n);
    for (std::int64_t k = 0; k < side; ++k) line[k] = product(line[k], roots.next());
  }
  transpose(x.data(), side);
  for (std::int64_t row = 0; row < side; ++row) cooley_tukey(x.data() + row * side, side);
  transpose(x.data(), side);
}

Array plane_wave(std::int64_t n, std::int64_t frequency) {
  Array x(static_cast<std::size_t>(n));
  for (std::int64_t j = 0; j < n; ++j)
    x[static_cast<std::size_t>(j)] = std::conj(root(frequency * j % n, n));
  return x;
}

double error_of(const Array& spectrum, std::int64_t frequency) {
  const auto n = static_cast<double>(spectrum.size());
  double sum = 0;
  for (std::size_t k = 0; k < spectrum.size(); ++k)
    sum += std::norm(spectrum[k] - (k == static_cast<std::size_t>(frequency) ? n : 0.0));
  return std::sqrt(sum) / n;
}

int usage() {
  std::fputs("fft cooley-tukey|stockham|swarztrauber LGN, 2 to 32, for swarztrauber an even one\n",
             stderr);
  return 2;
}

}  // namespace

int main(int count, char** words) {
  if (count != 3) return usage();
  const std::string method = words[1];
  const long lg = std::strtol(words[2], nullptr, 10);
  const bool is_known =
      method == "cooley-tukey" || method == "stockham" || method == "swarztrauber";
  if (!is_known || lg < 2 || lg > 32 || (method == "swarztrauber" && lg % 2 != 0)) return usage();
  // Pages must be moved one at a time, as in the paper.
  (void)prctl(PR_SET_THP_DISABLE, 1, 0, 0, 0);
  const std::int64_t n = std::int64_t{1} << lg;
  const std::int64_t frequency = n / 3;
  Array x = plane_wave(n, frequency);
  const auto start = std::chrono::steady_clock::now();
  if (method == "cooley-tukey")
    cooley_tukey(x.data(), n);
  else if (method == "stockham")
    stockham(x);
  else
    swarztrauber(x);
  const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - start;
  std::printf("%.6f %.3g\n", seconds.count(), error_of(x, frequency));
  return 0;
}
