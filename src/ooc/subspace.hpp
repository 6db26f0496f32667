#pragma once

#include <vector>

#include "ooc/gf2.hpp"

namespace weft::ooc {

/// A linear subspace of the vectors over GF(2), as a reduced basis: the lowest bit of each vector is
/// its pivot, which no other vector of the basis has.
class Subspace {
 public:
  Subspace() = default;
  /// All vectors whose bits lie in first..last-1.
  static Subspace of_bits(int first, int last);
  static Subspace spanned(const std::vector<Bits>& vectors);

  int dimension() const { return static_cast<int>(basis_.size()); }
  /// The basis, its pivots ascending.
  const std::vector<Bits>& basis() const { return basis_; }
  const std::vector<int>& pivots() const { return pivots_; }
  /// The bits that are pivots: a vector of the subspace is known by these bits.
  Bits pivot_bits() const;

  bool contains(Bits x) const { return reduced(x) == 0; }
  /// The vector of x + subspace that is 0 at all pivots.
  Bits reduced(Bits x) const;
  /// Adds x to what is spanned; false if it was in it.
  bool add(Bits x);
  void add(const Subspace& other);
  /// {A x : x in this}.
  Subspace image(const BitMatrix& a) const;

 private:
  std::vector<Bits> basis_;
  std::vector<int> pivots_;
};

/// Rank of the rows first..last-1 of A restricted to a subspace.
int rank_on(const Subspace& space, const BitMatrix& a, int first, int last);

Subspace intersection(const Subspace& a, const Subspace& b);

}  // namespace weft::ooc
