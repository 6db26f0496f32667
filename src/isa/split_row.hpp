#pragma once

#include <utility>

// Only files of src/isa may include this: their symbols stay in their objects.
namespace weft::isa {

/// A row of `width` complex numbers, and vectors of their real and imaginary parts.
template <class T, int width>
class SplitRow {
 public:
  static void split(const T* row, void* re, void* im) {
    const Vector low = *reinterpret_cast<const VectorAnywhere*>(row);
    const Vector high = *reinterpret_cast<const VectorAnywhere*>(row + width);
    *static_cast<VectorAnywhere*>(re) = every_other<0>(low, high, RowNumbers());
    *static_cast<VectorAnywhere*>(im) = every_other<1>(low, high, RowNumbers());
  }

  static void join(const void* re, const void* im, T* row) {
    const Vector reals = *static_cast<const VectorAnywhere*>(re);
    const Vector imaginary = *static_cast<const VectorAnywhere*>(im);
    *reinterpret_cast<VectorAnywhere*>(row) = paired<0>(reals, imaginary, RowNumbers());
    *reinterpret_cast<VectorAnywhere*>(row + width) =
        paired<width / 2>(reals, imaginary, RowNumbers());
  }

 private:
  typedef T Vector __attribute__((vector_size(width * sizeof(T))));
  typedef Vector VectorAnywhere __attribute__((aligned(alignof(T)), may_alias));
  using RowNumbers = std::make_integer_sequence<int, width>;

  template <int first, int... i>
  static Vector every_other(Vector low, Vector high, std::integer_sequence<int, i...> /*numbers*/) {
    return __builtin_shufflevector(low, high, (2 * i + first)...);
  }
  template <int first, int... i>
  static Vector paired(Vector re, Vector im, std::integer_sequence<int, i...> /*numbers*/) {
    return __builtin_shufflevector(re, im, (first + i / 2 + (i % 2 == 0 ? 0 : width))...);
  }
};

}  // namespace weft::isa
