#pragma once

#include <utility>

// Only files of src/isa may include this: their symbols stay in their objects.
namespace weft::isa {

/// A square of numbers in vector registers: `width` rows of `width` numbers each.
template <class T, int width>
class Square {
 public:
  // memcpy is slower: GCC copies 32 bytes in two halves, and the next load of the whole waits for
  // both of them.
  void load(int row, const void* from) { rows_[row] = *static_cast<const RowAnywhere*>(from); }
  void store(int row, void* to) const { *static_cast<RowAnywhere*>(to) = rows_[row]; }

  /// Row i gets the i-th number of every row.
  void transpose() { swap_blocks<1>(); }

 private:
  typedef T Row __attribute__((vector_size(width * sizeof(T))));
  typedef Row RowAnywhere __attribute__((aligned(alignof(T)), may_alias));

  /// In each square of two by two blocks of `size` numbers, swaps the two blocks off the diagonal;
  /// then the same for larger blocks. The shuffles stay within 16 bytes as long as they can, which
  /// is cheap with AVX2.
  template <int size>
  void swap_blocks() {
    if constexpr (size < width) {
      for (int k = 0; k < width; ++k) {
        if ((k & size) != 0) continue;
        const Row upper = rows_[k];
        const Row lower = rows_[k + size];
        rows_[k] = left<size>(upper, lower, std::make_integer_sequence<int, width>());
        rows_[k + size] = right<size>(upper, lower, std::make_integer_sequence<int, width>());
      }
      swap_blocks<2 * size>();
    }
  }

  template <int size, int... i>
  static Row left(Row upper, Row lower, std::integer_sequence<int, i...> /*numbers*/) {
    return __builtin_shufflevector(upper, lower, ((i & size) != 0 ? width + i - size : i)...);
  }
  template <int size, int... i>
  static Row right(Row upper, Row lower, std::integer_sequence<int, i...> /*numbers*/) {
    return __builtin_shufflevector(upper, lower, ((i & size) != 0 ? width + i : i + size)...);
  }

  Row rows_[width];  // std::array would drop the attribute
};

}  // namespace weft::isa
