#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace weft::bmmc {

/// A vector over GF(2): component k is bit k. Indices of records are such vectors.
using Bits = std::uint64_t;

inline constexpr int bits_max = 64;

/// Returns the vector with components first..last-1 equal to 1; 0 <= first <= last <= 64.
constexpr Bits bit_range(int first, int last) {
  const auto below = [](int bit) { return bit >= bits_max ? ~Bits{0} : (Bits{1} << bit) - 1; };
  return below(last) & ~below(first);
}

/// A matrix over GF(2) of up to 64 rows and 64 columns, one word per row.
///
/// Rows and columns are numbered from the least significant bit. Entry (i, j) is 1 if bit j of x is
/// added to bit i of A x. All operations are exact; products and inverses need up to 64^2 word
/// operations.
class BitMatrix {
 public:
  /// Makes a matrix of zeros. Errors: Error(invalid_argument) unless 0 <= rows, columns <= 64.
  BitMatrix(int rows, int columns);
  static BitMatrix identity(int size);
  /// Returns the matrix whose column j is columns[j].
  static BitMatrix from_columns(int rows, const std::vector<Bits>& columns);
  static BitMatrix from_rows(const std::vector<Bits>& rows, int columns);

  int rows() const { return rows_; }
  int columns() const { return columns_; }
  bool at(int row, int column) const { return (words_[row] >> column & 1) != 0; }
  void set(int row, int column, bool value);
  Bits row(int row) const { return words_[row]; }
  /// Bits of `word` beyond the columns must be 0.
  void set_row(int row, Bits word) { words_[row] = word; }
  Bits column(int column) const;

  /// Returns A x. Bits of x beyond the columns are ignored.
  Bits apply(Bits x) const;

  /// Returns rows [row_first, row_last) and columns [column_first, column_last).
  BitMatrix block(int row_first, int row_last, int column_first, int column_last) const;

  /// Adds row `from` to row `to`: multiplication from the left by an elementary matrix.
  void add_row(int from, int to) { words_[to] ^= words_[from]; }
  void swap_rows(int one, int other) { std::swap(words_[one], words_[other]); }

  bool is_zero() const;
  friend bool operator==(const BitMatrix&, const BitMatrix&) = default;
  /// Errors: Error(invalid_argument) unless a has as many columns as b has rows.
  friend BitMatrix operator*(const BitMatrix& a, const BitMatrix& b);
  /// Errors: Error(invalid_argument) unless both have the same shape.
  friend BitMatrix operator+(const BitMatrix& a, const BitMatrix& b);

 private:
  int rows_;
  int columns_;
  std::array<Bits, bits_max> words_{};
};

BitMatrix operator*(const BitMatrix& a, const BitMatrix& b);
BitMatrix operator+(const BitMatrix& a, const BitMatrix& b);
BitMatrix transposed(const BitMatrix& a);
/// Returns a above b. Errors: Error(invalid_argument) unless both have the same number of columns,
/// and at most 64 rows in total.
BitMatrix stacked(const BitMatrix& a, const BitMatrix& b);

int rank(const BitMatrix& a);
bool is_nonsingular(const BitMatrix& a);
/// Errors: Error(invalid_argument) that names the shape or the rank if there is no inverse.
BitMatrix inverse(const BitMatrix& a);
/// Returns a basis of all x with A x = 0, in ascending order. Each x belongs to a column of A that
/// is a sum of earlier columns. The highest bit of x is this column. The other bits are the
/// independent columns of the sum.
std::vector<Bits> kernel(const BitMatrix& a);

/// Returns the rows as words of 0 and 1, the most significant bit first.
std::string to_string(const BitMatrix& a);

}  // namespace weft::bmmc
