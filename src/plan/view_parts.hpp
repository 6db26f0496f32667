#pragma once

#include <cstdint>

#include <weft/layout.hpp>

namespace weft {

// Rows and columns of an axis that is seen as two, dealt out to the first `busy` of the ranks.

/// An array of two axes, one of them split evenly.
Layout split(const Shape& view, int axis, std::int64_t busy, std::int64_t ranks);

/// An axis of n elements, cut between rows of `row` of them, of which the last may be shorter.
Layout cut_between(std::int64_t n, std::int64_t row, std::int64_t busy, std::int64_t ranks);

/// How much longer than the mean the busiest of so many ranks works.
double imbalance(std::int64_t rows, std::int64_t ranks);

/// How far a view is from a square, in factors of two.
double unlikeness(const Shape& view);

}  // namespace weft
