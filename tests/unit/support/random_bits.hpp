#pragma once

#include <random>

#include "bmmc/plan/bmmc.hpp"

namespace weft::test_support {

inline bmmc::BitMatrix random_matrix(int rows, int columns, std::mt19937_64& random) {
  bmmc::BitMatrix a(rows, columns);
  for (int row = 0; row < rows; ++row)
    for (int column = 0; column < columns; ++column) a.set(row, column, (random() & 1) != 0);
  return a;
}

inline bmmc::BitMatrix random_nonsingular(int size, std::mt19937_64& random) {
  for (;;) {
    bmmc::BitMatrix a = random_matrix(size, size, random);
    if (is_nonsingular(a)) return a;
  }
}

}  // namespace weft::test_support
