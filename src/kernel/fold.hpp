#pragma once

#include <cstdint>

#include "kernel/place.hpp"

namespace weft::kernel {

/// Converts a place whose columns along `axis` are in the folded order 0, n-1, 1, n-2, .... Returns
/// a place for the same memory, with columns in natural order. Each piece becomes up to two: the
/// columns at even positions, and those at odd positions with a negative stride. `extent` is n, the
/// extent of the whole axis.
Place unfolded(const Place& folded, int axis, std::int64_t extent);

}  // namespace weft::kernel
