#include "kernel/twiddles.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <mutex>

#include "base/process_mutex.hpp"

namespace weft::kernel {
namespace {

/// Number of products that are computed from one root.
constexpr std::int64_t run = 64;

}  // namespace

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
  static ProcessMutex mutex;
  static std::map<std::int64_t, std::weak_ptr<const Twiddles>> known;
  const std::lock_guard lock(mutex);
  std::erase_if(known, [](const auto& entry) { return entry.second.expired(); });
  std::shared_ptr<const Twiddles> found = known[n].lock();
  if (!found) known[n] = found = std::make_shared<const Twiddles>(n);
  return found;
}

}  // namespace weft::kernel
