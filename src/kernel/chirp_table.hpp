#pragma once

#include <cstdint>
#include <memory>

#include <weft/precision.hpp>

#include "base/memory.hpp"
#include "kernel/place.hpp"

namespace weft::kernel {

/// A part of the chirp exp(-pi*i * j^2/n), in one precision.
///
/// Accuracy  each number is computed in long double, then rounded to the precision.
/// Memory    one complex number for each element.
class ChirpTable {
 public:
  /// Makes the elements in `part`, a part of 0 to n - 1. Cost: one root of unity for each.
  ChirpTable(std::int64_t n, Range part, Precision precision);

  /// Returns the real and imaginary parts from element j on; T is the type of the precision.
  template <class T>
  const T* from(std::int64_t j) const {
    return values_.as<T>() + 2 * (j - first_);
  }

 private:
  AlignedBuffer values_;
  std::int64_t first_;
};

/// Returns a shared table, because the first and the last step of a convolution use the same table.
/// It is freed with its last user. Thread-safe.
std::shared_ptr<const ChirpTable> chirp_table(std::int64_t n, Range part, Precision precision);

}  // namespace weft::kernel
