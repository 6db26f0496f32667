#pragma once

#include <array>
#include <bit>
#include <vector>

#include "bmmc/plan/gf2.hpp"

namespace weft::bmmc {

/// A linear subspace of the vectors over GF(2), stored as a reduced basis. The lowest bit of each
/// basis vector is its pivot. No other basis vector has this bit.
class Subspace {
 public:
  Subspace() = default;
  /// Returns the space of all vectors with bits in first..last-1.
  static Subspace of_bits(int first, int last);
  static Subspace spanned(const std::vector<Bits>& vectors);

  int dimension() const { return std::popcount(pivot_bits_); }
  /// Returns the basis with ascending pivots.
  std::vector<Bits> basis() const;
  /// Returns the bits that are pivots, which identify a vector of the subspace.
  Bits pivot_bits() const { return pivot_bits_; }

  bool contains(Bits x) const { return reduced(x) == 0; }
  /// Returns the vector of x + subspace that is 0 at all pivots.
  Bits reduced(Bits x) const {
    // No basis vector changes the pivot of another. So the pivot bits of x determine which vectors
    // must be added.
    for (Bits rest = x & pivot_bits_; rest != 0; rest &= rest - 1)
      x ^= with_pivot_[std::countr_zero(rest)];
    return x;
  }
  /// Adds x to the span. Returns false if x was already in it.
  bool add(Bits x);
  void add(const Subspace& other);
  /// Returns {A x : x in this}.
  Subspace image(const BitMatrix& a) const;

 private:
  Bits pivot_bits_ = 0;
  std::array<Bits, bits_max> with_pivot_{};  ///< the vector of the basis with this pivot, or 0
};

/// Returns the rank of rows first..last-1 of A restricted to a subspace.
int rank_on(const Subspace& space, const BitMatrix& a, int first, int last);

Subspace intersection(const Subspace& a, const Subspace& b);

}  // namespace weft::bmmc
