#include "kernel/twiddles.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <mutex>
#include <type_traits>

#include "base/process_mutex.hpp"
#include "base/rounding.hpp"
#include "isa/twiddle_products.hpp"
#include "kernel/instruction_sets.hpp"

namespace weft::kernel {
namespace {

/// A twiddle is the product of two factors: one for the first element of a run of 64, and one for
/// the position in the run.
constexpr std::int64_t run = 64;
/// Elements that are multiplied in one call.
constexpr std::int64_t block = run * run;

/// The factors of a block: see isa::TwiddleProduct.
template <class T>
struct Factors {
  std::array<T, 2 * run> low;
  std::array<T, 2 * run> turned_low;
  std::array<T, 2 * block / run> high;
};

/// Returns the instruction set of the first call. Some builds have only the baseline.
InstructionSet set_of_products() {
#ifdef WEFT_HAVE_WIDE_SETS
  static const InstructionSet set = usable_instruction_set();
  return set;
#else
  return InstructionSet::v1;
#endif
}

const isa::TwiddleTable& table_in_use() {
#ifdef WEFT_HAVE_WIDE_SETS
  if (set_of_products() == InstructionSet::v3) return *weft_twiddle_products_v3();
  if (set_of_products() == InstructionSet::v4) return *weft_twiddle_products_v4();
#endif
  return *weft_twiddle_products_v1();
}

template <class T>
void multiply_block(const isa::TwiddleProduct& product) {
  static const isa::TwiddleTable& table = table_in_use();
  if constexpr (std::is_same_v<T, long double>)
    weft_twiddle_products_v1()->f80(&product);
  else if constexpr (std::is_same_v<T, float>)
    table.f32(&product);
  else
    table.f64(&product);
}

/// Writes exp(-2*pi*i * (first + m*step)/n), or conjugates, for m < count.
template <class T, class Real>
void put_roots(const RootTables<Real>& roots, std::int64_t first, std::int64_t step,
               std::int64_t count, bool conjugate, T* out) {
  for (std::int64_t m = 0; m < count; ++m) {
    const std::complex<Real> w = roots.at(first + m * step);
    out[2 * m] = static_cast<T>(w.real());
    out[2 * m + 1] = static_cast<T>(conjugate ? -w.imag() : w.imag());
  }
}

template <class T, class Real>
void multiply_line(const RootTables<Real>& roots, T* line, std::int64_t count, std::int64_t j,
                   bool conjugate) {
  Factors<T> factors;
  const std::int64_t low_count = std::min(run, count);
  put_roots(roots, 0, j, low_count, conjugate, factors.low.data());
  for (std::int64_t k = 0; k < low_count; ++k) {
    factors.turned_low[static_cast<std::size_t>(2 * k)] =
        -factors.low[static_cast<std::size_t>(2 * k + 1)];
    factors.turned_low[static_cast<std::size_t>(2 * k + 1)] =
        factors.low[static_cast<std::size_t>(2 * k)];
  }
  for (std::int64_t first = 0; first < count; first += block) {
    const std::int64_t length = std::min(block, count - first);
    put_roots(roots, j * first, j * run, divided_up(length, run), conjugate, factors.high.data());
    multiply_block<T>({line + 2 * first, length, factors.low.data(), factors.turned_low.data(), run,
                       factors.high.data()});
  }
}

}  // namespace

template <class T>
void Twiddles::multiply(T* line, std::int64_t count, std::int64_t j, bool conjugate) const {
  if constexpr (std::is_same_v<T, long double>)
    multiply_line(wide_, line, count, j, conjugate);
  else
    multiply_line(doubles_, line, count, j, conjugate);
}

template void Twiddles::multiply(float*, std::int64_t, std::int64_t, bool) const;
template void Twiddles::multiply(double*, std::int64_t, std::int64_t, bool) const;
template void Twiddles::multiply(long double*, std::int64_t, std::int64_t, bool) const;

std::string twiddle_instructions() { return "weft's twiddles for " + describe(set_of_products()); }

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
