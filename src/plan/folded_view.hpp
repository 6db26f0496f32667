#pragma once

#include <cstdint>

#include <weft/layout.hpp>

namespace weft {

// Conversion between two orders of half the spectrum of n = n1*n2 reals:
//   natural order   X[0..n/2], in rows of n1 elements
//   columns         a view of the axis as n2 columns of n1/2+1 elements
//
// Row b of the natural order consists of column b and of the mirror image of column n2-1-b. These
// two columns are a pair. The folded order of columns, 0, n2-1, 1, n2-2, ..., puts the columns of a
// pair next to each other. If n2 is odd, the middle column has no partner and is half a row. If n2
// is even, X[n/2] comes after the last row of n1 elements and belongs to the last pair.

/// The boundaries of the ranks' parts of half a spectrum.
struct HalfCuts {
  /// The greatest common divisor of all boundaries except the end of the array; 0: one rank has the
  /// whole array.
  std::int64_t unit = 0;
  std::int64_t last = 0;  ///< start of the last part
};

/// Returns the boundaries of a layout. Cost: visits each rank's box.
HalfCuts cuts_of(const Layout& half);

/// Returns whether each part between these boundaries has whole rows of the natural order, and thus
/// whole pairs of columns.
bool fit(const HalfCuts& cuts, const Shape& view);

/// Returns the number of rows of the natural order. For odd n2 this includes the half row.
std::int64_t natural_rows(const Shape& view);

/// Returns the layout of half the spectrum in its natural order, cut between rows. The rows are
/// spread evenly over the first `busy` ranks.
Layout half_between_rows(const Shape& view, std::int64_t busy, std::int64_t ranks);

/// Returns the layout of the columns in folded order. `half` is the layout of the natural order.
/// Each rank gets the columns of its part of `half`. Throws layout_mismatch if `half` cuts a row,
/// or if the last part is X[n/2] alone.
Layout folded_columns(const Layout& half, const Shape& view);

}  // namespace weft
