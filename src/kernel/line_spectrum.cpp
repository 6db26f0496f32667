#include "kernel/line_spectrum.hpp"

namespace weft::kernel {

template <class T>
void LineSpectrum::multiply(T* line, std::int64_t number, bool conjugate) const {
  const T* const factors = values_.as<T>() + 2 * (number - first_line_) * length_;
  const T sign = conjugate ? T{-1} : T{1};
  for (std::int64_t k = 0; k < length_; ++k) {
    const T re = factors[2 * k];
    const T im = sign * factors[2 * k + 1];
    const T x = line[2 * k];
    const T y = line[2 * k + 1];
    line[2 * k] = x * re - y * im;
    line[2 * k + 1] = x * im + y * re;
  }
}

template void LineSpectrum::multiply(float*, std::int64_t, bool) const;
template void LineSpectrum::multiply(double*, std::int64_t, bool) const;
template void LineSpectrum::multiply(long double*, std::int64_t, bool) const;

}  // namespace weft::kernel
