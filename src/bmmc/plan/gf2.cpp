#include "bmmc/plan/gf2.hpp"

#include <bit>
#include <utility>

#include <weft/error.hpp>

namespace weft::bmmc {
namespace {

std::string shape_of(const BitMatrix& a) {
  return std::to_string(a.rows()) + " x " + std::to_string(a.columns());
}

[[noreturn]] void refuse_shapes(const char* rule, const BitMatrix& a, const BitMatrix& b) {
  throw Error(ErrorCode::invalid_argument, std::string(rule) + "; given " + shape_of(a) + " and " +
                                               shape_of(b) + "; give matrices that fit");
}

/// The rows of a matrix after Gauss-Jordan elimination. Each row is stored at the index of its
/// pivot, its lowest bit, which no other row has. `beside` has the rows of a second matrix after
/// the same steps.
struct Reduced {
  Bits pivots = 0;
  std::array<Bits, bits_max> with_pivot{};
  std::array<Bits, bits_max> beside{};
};

/// Eliminates row by row. It visits only the bits that are set, because matrices of permutations
/// have few.
Reduced reduced(const BitMatrix& a, const BitMatrix& beside) {
  Reduced result;
  for (int number = 0; number < a.rows(); ++number) {
    Bits row = a.row(number);
    Bits side = beside.row(number);
    for (Bits rest = row & result.pivots; rest != 0; rest &= rest - 1) {
      row ^= result.with_pivot[std::countr_zero(rest)];
      side ^= result.beside[std::countr_zero(rest)];
    }
    if (row == 0) continue;
    const int pivot = std::countr_zero(row);
    for (Bits rest = result.pivots & bit_range(0, pivot); rest != 0; rest &= rest - 1) {
      const int other = std::countr_zero(rest);
      if ((result.with_pivot[other] >> pivot & 1) == 0) continue;
      result.with_pivot[other] ^= row;
      result.beside[other] ^= side;
    }
    result.pivots |= Bits{1} << pivot;
    result.with_pivot[pivot] = row;
    result.beside[pivot] = side;
  }
  return result;
}

Reduced reduced(const BitMatrix& a) { return reduced(a, BitMatrix(a.rows(), 0)); }

std::vector<Bits> rows_of(const BitMatrix& a) {
  std::vector<Bits> rows;
  for (int row = 0; row < a.rows(); ++row) rows.push_back(a.row(row));
  return rows;
}

}  // namespace

BitMatrix::BitMatrix(int rows, int columns) : rows_(rows), columns_(columns) {
  if (rows < 0 || rows > bits_max || columns < 0 || columns > bits_max)
    throw Error(ErrorCode::invalid_argument,
                "a matrix over GF(2) has 0 to 64 rows and columns; given " + std::to_string(rows) +
                    " x " + std::to_string(columns) + "; give fewer");
}

BitMatrix BitMatrix::identity(int size) {
  BitMatrix result(size, size);
  for (int k = 0; k < size; ++k) result.set(k, k, true);
  return result;
}

BitMatrix BitMatrix::from_columns(int rows, const std::vector<Bits>& columns) {
  BitMatrix result(rows, static_cast<int>(columns.size()));
  for (std::size_t column = 0; column < columns.size(); ++column)
    for (Bits rest = columns[column] & bit_range(0, rows); rest != 0; rest &= rest - 1)
      result.words_[std::countr_zero(rest)] |= Bits{1} << column;
  return result;
}

BitMatrix BitMatrix::from_rows(const std::vector<Bits>& rows, int columns) {
  BitMatrix result(static_cast<int>(rows.size()), columns);
  for (std::size_t row = 0; row < rows.size(); ++row)
    result.words_[row] = rows[row] & bit_range(0, columns);
  return result;
}

void BitMatrix::set(int row, int column, bool value) {
  const Bits bit = Bits{1} << column;
  words_[row] = value ? words_[row] | bit : words_[row] & ~bit;
}

Bits BitMatrix::column(int column) const {
  Bits result = 0;
  for (int row = 0; row < rows_; ++row) result |= (words_[row] >> column & 1) << row;
  return result;
}

Bits BitMatrix::apply(Bits x) const {
  Bits result = 0;
  for (int row = 0; row < rows_; ++row)
    result |= static_cast<Bits>(std::popcount(words_[row] & x) & 1) << row;
  return result;
}

BitMatrix BitMatrix::block(int row_first, int row_last, int column_first, int column_last) const {
  BitMatrix result(row_last - row_first, column_last - column_first);
  for (int row = 0; row < result.rows_ && result.columns_ > 0; ++row)
    result.words_[row] =
        (words_[row_first + row] & bit_range(column_first, column_last)) >> column_first;
  return result;
}

bool BitMatrix::is_zero() const {
  for (const Bits word : words_)
    if (word != 0) return false;
  return true;
}

BitMatrix operator*(const BitMatrix& a, const BitMatrix& b) {
  if (a.columns() != b.rows())
    refuse_shapes("a product needs as many columns on the left as rows on the right", a, b);
  BitMatrix result(a.rows(), b.columns());
  for (int row = 0; row < a.rows(); ++row)
    for (Bits left = a.words_[row]; left != 0; left &= left - 1)
      result.words_[row] ^= b.words_[std::countr_zero(left)];
  return result;
}

BitMatrix operator+(const BitMatrix& a, const BitMatrix& b) {
  if (a.rows() != b.rows() || a.columns() != b.columns())
    refuse_shapes("a sum needs matrices of one shape", a, b);
  BitMatrix result = a;
  for (int row = 0; row < a.rows(); ++row) result.words_[row] ^= b.words_[row];
  return result;
}

BitMatrix transposed(const BitMatrix& a) {
  return BitMatrix::from_columns(a.columns(), rows_of(a));
}

BitMatrix stacked(const BitMatrix& a, const BitMatrix& b) {
  if (a.columns() != b.columns())
    refuse_shapes("stacked matrices need the same number of columns", a, b);
  std::vector<Bits> rows = rows_of(a);
  const std::vector<Bits> more = rows_of(b);
  rows.insert(rows.end(), more.begin(), more.end());
  return BitMatrix::from_rows(rows, a.columns());
}

int rank(const BitMatrix& a) { return std::popcount(reduced(a).pivots); }

bool is_nonsingular(const BitMatrix& a) { return a.rows() == a.columns() && rank(a) == a.rows(); }

BitMatrix inverse(const BitMatrix& a) {
  if (a.rows() != a.columns())
    throw Error(ErrorCode::invalid_argument, "only a square matrix has an inverse; given " +
                                                 shape_of(a) + "; give a square one");
  const Reduced unit = reduced(a, BitMatrix::identity(a.rows()));
  const int found = std::popcount(unit.pivots);
  if (found != a.rows())
    throw Error(ErrorCode::invalid_argument,
                "a matrix needs full rank to have an inverse over GF(2); given " + shape_of(a) +
                    " of rank " + std::to_string(found) + "; give a nonsingular one");
  BitMatrix result(a.rows(), a.rows());
  for (int row = 0; row < a.rows(); ++row) result.set_row(row, unit.beside[row]);
  return result;
}

std::vector<Bits> kernel(const BitMatrix& a) {
  const Reduced rows = reduced(a);
  std::vector<Bits> basis;
  for (Bits free = bit_range(0, a.columns()) & ~rows.pivots; free != 0; free &= free - 1) {
    const int column = std::countr_zero(free);
    Bits x = Bits{1} << column;
    for (Bits rest = rows.pivots & bit_range(0, column); rest != 0; rest &= rest - 1) {
      const int pivot = std::countr_zero(rest);
      x |= (rows.with_pivot[pivot] >> column & 1) << pivot;
    }
    basis.push_back(x);
  }
  return basis;
}

std::string to_string(const BitMatrix& a) {
  std::string text;
  for (int row = a.rows() - 1; row >= 0; --row) {
    for (int column = a.columns() - 1; column >= 0; --column) text += a.at(row, column) ? '1' : '0';
    text += '\n';
  }
  return text;
}

}  // namespace weft::bmmc
