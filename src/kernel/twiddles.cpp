#include "kernel/twiddles.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <mutex>
#include <numbers>
#include <utility>

namespace weft::kernel {
namespace {

/// Products of one root are made of so many others.
constexpr std::int64_t run = 64;

/// exp(-2*pi*i * e/n), rounded once: e is reduced to the first octant in whole numbers.
std::complex<long double> exact_root(std::int64_t e, std::int64_t n) {
  std::int64_t eighths = 8 * e;  // of n, a whole turn being 8n
  const bool lower_half = eighths > 4 * n;
  if (lower_half) eighths = 8 * n - eighths;
  const bool left = eighths > 2 * n;
  if (left) eighths = 4 * n - eighths;
  const bool steep = eighths > n;
  if (steep) eighths = 2 * n - eighths;
  const long double angle = std::numbers::pi_v<long double> / 4 *
                            static_cast<long double>(eighths) / static_cast<long double>(n);
  long double re = std::cos(angle);
  long double im = std::sin(angle);
  if (steep) std::swap(re, im);
  return {left ? -re : re, lower_half ? im : -im};
}

}  // namespace

Twiddles::Twiddles(std::int64_t n) {
  while ((std::int64_t{1} << (2 * bits_)) < n) ++bits_;
  const std::int64_t step = std::int64_t{1} << bits_;
  mask_ = step - 1;
  for (std::int64_t e = 0; e < std::min(step, n); ++e) fine_.push_back(exact_root(e, n));
  for (std::int64_t e = 0; e < n; e += step) coarse_.push_back(exact_root(e, n));
}

template <class T>
void Twiddles::multiply(T* line, std::int64_t count, std::int64_t j, bool conjugate) const {
  std::array<T, run> low_re;
  std::array<T, run> low_im;
  const auto as_asked = [&](std::int64_t e) {
    const std::complex<long double> w = root(e);
    return std::complex<T>(static_cast<T>(w.real()),
                           static_cast<T>(conjugate ? -w.imag() : w.imag()));
  };
  for (std::int64_t k = 0; k < std::min(run, count); ++k) {
    const std::complex<T> w = as_asked(j * k);
    low_re[static_cast<std::size_t>(k)] = w.real();
    low_im[static_cast<std::size_t>(k)] = w.imag();
  }
  for (std::int64_t first = 0; first < count; first += run) {
    const std::complex<T> high = as_asked(j * first);
    const auto length = static_cast<std::size_t>(std::min(run, count - first));
    T* element = line + 2 * first;
    for (std::size_t k = 0; k < length; ++k) {
      const T re = high.real() * low_re[k] - high.imag() * low_im[k];
      const T im = high.real() * low_im[k] + high.imag() * low_re[k];
      const T x = element[2 * k];
      const T y = element[2 * k + 1];
      element[2 * k] = x * re - y * im;
      element[2 * k + 1] = x * im + y * re;
    }
  }
}

template void Twiddles::multiply(float*, std::int64_t, std::int64_t, bool) const;
template void Twiddles::multiply(double*, std::int64_t, std::int64_t, bool) const;
template void Twiddles::multiply(long double*, std::int64_t, std::int64_t, bool) const;

std::shared_ptr<const Twiddles> twiddles_of(std::int64_t n) {
  static std::mutex mutex;
  static std::map<std::int64_t, std::weak_ptr<const Twiddles>> known;
  const std::lock_guard lock(mutex);
  std::erase_if(known, [](const auto& entry) { return entry.second.expired(); });
  std::shared_ptr<const Twiddles> found = known[n].lock();
  if (!found) known[n] = found = std::make_shared<const Twiddles>(n);
  return found;
}

}  // namespace weft::kernel
