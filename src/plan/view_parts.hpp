#pragma once

#include <cstdint>

#include <weft/layout.hpp>

namespace weft {

// Rows and columns of an axis that is treated as two, assigned to the first `busy` ranks.

/// Returns the layout of an array of two axes, of which `axis` is split evenly.
Layout split(const Shape& view, int axis, std::int64_t busy, std::int64_t ranks);

/// Returns the layout of an axis of n elements, cut between rows of `row` elements. The last row
/// may be shorter.
Layout cut_between(std::int64_t n, std::int64_t row, std::int64_t busy, std::int64_t ranks);

/// Returns the number of rows of the busiest of `ranks` ranks, divided by the mean number.
double imbalance(std::int64_t rows, std::int64_t ranks);

/// Returns the absolute value of log2 of the ratio of the view's sides.
double unlikeness(const Shape& view);

}  // namespace weft
