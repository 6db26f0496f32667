#pragma once

#include <algorithm>
#include <cmath>
#include <vector>

namespace weft::model {

/// The measurements below a size and at or above this size. `part` is the position of the size
/// between the two on a logarithmic scale, from 0 to 1. Outside the measured sizes, both pointers
/// point to the nearest measurement.
template <class T>
struct Between {
  const T* below = nullptr;
  const T* above = nullptr;
  double part = 0;

  /// Returns value() of the two measurements, interpolated linearly by `part`.
  template <class Value>
  double mean(Value&& value) const {
    return value(*below) * (1 - part) + value(*above) * part;
  }
};

/// Returns the measurements next to `size`. `all` must not be empty, and must be in ascending order
/// of size_of().
template <class T, class SizeOf>
Between<T> between(const std::vector<T>& all, double size, SizeOf&& size_of) {
  const auto above = std::find_if(all.begin(), all.end(), [&](const T& each) {
    return static_cast<double>(size_of(each)) >= size;
  });
  if (above == all.begin()) return {&*above, &*above, 0};
  if (above == all.end()) return {&all.back(), &all.back(), 0};
  const auto lg = [](double value) { return std::log2(std::max(1.0, value)); };
  const double from = lg(static_cast<double>(size_of(*(above - 1))));
  const double to = lg(static_cast<double>(size_of(*above)));
  return {&*(above - 1), &*above, to > from ? (lg(size) - from) / (to - from) : 1.0};
}

}  // namespace weft::model
