#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "bmmc/plan/gf2.hpp"

namespace weft::bmmc {

/// The sum of those vectors that `combination` names by its bits.
Bits combined(const std::vector<Bits>& vectors, Bits combination);

/// Places of 2^columns records in memory: that of record j is `first` plus, over GF(2), those columns
/// that the bits of j name.
struct AffinePlaces {
  Bits first = 0;
  std::vector<Bits> columns;
};

/// Copies record j from its place on one walk to its place on another, for all j. They do not
/// overlap. Runs of records that stay neighbours are copied as one.
void copy_affine(const char* source, const AffinePlaces& from, char* target, const AffinePlaces& to,
                 std::size_t record_bytes);

}  // namespace weft::bmmc
