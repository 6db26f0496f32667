#pragma once

#include <cstdint>

#include <weft/layout.hpp>

namespace weft {

// Half the spectrum of n = n1*n2 reals in its natural order, X[0..n/2], beside the (n1/2+1) x n2
// columns that a view of the axis leaves of it. Row b of n1 of the natural order is column b and the
// mirror image of column n2-1-b; in the order 0, n2-1, 1, n2-2, ... the two are neighbours, a pair.
// An odd n2 leaves half a row, which is the column in the middle; an even one leaves X[n/2], which is
// in the last pair.

/// Where the ranks' parts of half a spectrum begin and end.
struct HalfCuts {
  std::int64_t unit = 0;  ///< all but the end of the array are multiples of it; 0: one rank has all
  std::int64_t last = 0;  ///< where the last part begins
};

/// Cost    a look at each rank's box.
HalfCuts cuts_of(const Layout& half);

/// Whether parts that are cut so are whole rows of the natural order: each needs whole pairs.
bool fit(const HalfCuts& cuts, const Shape& view);

/// How many rows of the natural order there are, that in the middle included.
std::int64_t natural_rows(const Shape& view);

/// Half the spectrum in its natural order, cut between rows, which are dealt out evenly to the first
/// `busy` of the ranks.
Layout half_between_rows(const Shape& view, std::int64_t busy, std::int64_t ranks);

/// Who needs which of the folded columns to have `half` in natural order.
/// Throws layout_mismatch where that cuts a row.
Layout folded_columns(const Layout& half, const Shape& view);

}  // namespace weft
