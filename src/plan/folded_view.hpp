#pragma once

#include <cstdint>

#include <weft/layout.hpp>

namespace weft {

// Conversion of half the spectrum of n = n1*n2 reals between two orders: the natural order
// X[0..n/2], and the n2 columns of n1/2+1 elements of a view of the axis. Row b (of n1 elements) of
// the natural order is column b and the mirror image of column n2-1-b. In the order 0, n2-1, 1,
// n2-2, ... the two columns are neighbours, a pair. An odd n2 leaves half a row, which is the
// middle column; an even n2 leaves X[n/2], which is in the last pair.

/// The boundaries of the ranks' parts of half a spectrum.
struct HalfCuts {
  std::int64_t unit = 0;  ///< divides all boundaries but the end of the array; 0: one rank has all
  std::int64_t last = 0;  ///< start of the last part
};

/// Returns the boundaries of a layout. Cost: a look at each rank's box.
HalfCuts cuts_of(const Layout& half);

/// Returns whether parts with these boundaries are whole rows of the natural order: each needs
/// whole pairs.
bool fit(const HalfCuts& cuts, const Shape& view);

/// Returns the number of rows of the natural order, including the middle one.
std::int64_t natural_rows(const Shape& view);

/// Returns the layout of half the spectrum in its natural order, cut between rows. The rows are
/// spread evenly over the first `busy` ranks.
Layout half_between_rows(const Shape& view, std::int64_t busy, std::int64_t ranks);

/// Returns the folded columns that each rank needs for `half` in natural order. Throws
/// layout_mismatch if `half` cuts a row.
Layout folded_columns(const Layout& half, const Shape& view);

}  // namespace weft
