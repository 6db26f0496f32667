#include "kernel/chirp_table.hpp"

#include <complex>
#include <map>
#include <mutex>
#include <tuple>

#include "base/chirp.hpp"
#include "base/process_mutex.hpp"
#include "kernel/twiddles.hpp"

namespace weft::kernel {
namespace {

/// Writes the real and imaginary parts of the chirp's elements in `part`.
template <class T>
void fill(std::int64_t n, Range part, T* out) {
  const auto roots = twiddles_of(2 * n);
  for_chirp(n, part.lo, 1, part.size(), [&](std::int64_t i, std::int64_t exponent) {
    const std::complex<long double> root = roots->root(exponent);
    out[2 * i] = static_cast<T>(root.real());
    out[2 * i + 1] = static_cast<T>(root.imag());
  });
}

}  // namespace

ChirpTable::ChirpTable(std::int64_t n, Range part, Precision precision)
    : values_(part.size() * complex_bytes(precision)), first_(part.lo) {
  switch (precision) {
    case Precision::f32:
      fill(n, part, values_.as<float>());
      break;
    case Precision::f64:
      fill(n, part, values_.as<double>());
      break;
    case Precision::f80:
      fill(n, part, values_.as<long double>());
      break;
  }
}

std::shared_ptr<const ChirpTable> chirp_table(std::int64_t n, Range part, Precision precision) {
  using Key = std::tuple<std::int64_t, std::int64_t, std::int64_t, Precision>;
  static ProcessMutex mutex;
  static std::map<Key, std::weak_ptr<const ChirpTable>> known;
  const std::lock_guard lock(mutex);
  std::erase_if(known, [](const auto& entry) { return entry.second.expired(); });
  const Key key{n, part.lo, part.hi, precision};
  const auto found = known.find(key);
  if (found != known.end())
    if (auto table = found->second.lock()) return table;
  auto made = std::make_shared<const ChirpTable>(n, part, precision);
  known[key] = made;
  return made;
}

}  // namespace weft::kernel
