#include "kernel/finite.hpp"

#include <bit>

namespace weft::kernel {
namespace {

/// Tests the bits of the exponents, because compilers vectorise that.
template <class Bits, class Real>
bool all_are(Bits exponent, std::int64_t count, int threads, const Real* numbers) {
  int found = 0;
#pragma omp parallel for simd num_threads(threads) reduction(| : found) if (parallel : threads > 1)
  for (std::int64_t k = 0; k < count; ++k)
    found |= static_cast<int>((std::bit_cast<Bits>(numbers[k]) & exponent) == exponent);
  return found == 0;
}

}  // namespace

bool all_finite(Precision precision, std::int64_t reals, int threads, const void* memory) {
  if (precision == Precision::f32)
    return all_are<std::uint32_t>(0x7f800000U, reals, threads, static_cast<const float*>(memory));
  return all_are<std::uint64_t>(0x7ff0000000000000U, reals, threads,
                                static_cast<const double*>(memory));
}

}  // namespace weft::kernel
