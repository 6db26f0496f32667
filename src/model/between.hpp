#pragma once

#include <algorithm>
#include <cmath>
#include <vector>

namespace weft::model {

/// The two measurements next to a size, and the position of the size between them on a logarithmic
/// scale (0 to 1). Beyond the ends, the nearest measurement twice.
template <class T>
struct Between {
  const T* below = nullptr;
  const T* above = nullptr;
  double part = 0;

  /// Returns the mean of both, weighted by distance.
  template <class Value>
  double mean(Value&& value) const {
    return value(*below) * (1 - part) + value(*above) * part;
  }
};

/// `all` is not empty and in ascending order of size_of().
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
