#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "bmmc/plan/gf2.hpp"

namespace weft::bmmc {

/// Returns the sum of the vectors that the bits of `combination` select.
Bits combined(const std::vector<Bits>& vectors, Bits combination);

/// Places of 2^columns records in memory. The place of record j is `first` plus the sum over GF(2)
/// of the columns that the bits of j select.
struct AffinePlaces {
  Bits first = 0;
  std::vector<Bits> columns;
};

/// Copies record j from its place in `from` to its place in `to`, for all j. The places must not
/// overlap. Records that are neighbours in `from` and in `to` are copied together.
void copy_affine(const char* source, const AffinePlaces& from, char* target, const AffinePlaces& to,
                 std::size_t record_bytes);

}  // namespace weft::bmmc
