#pragma once

#include <cstdint>

#include "kernel/place.hpp"

namespace weft::kernel {

/// Returns a place with columns in natural order for a place whose columns along `axis` are in the
/// order 0, n-1, 1, n-2, .... Each piece becomes two: one of its even columns, and one of its odd
/// columns, which has a negative stride. `extent`: n, of the whole axis.
Place unfolded(const Place& folded, int axis, std::int64_t extent);

}  // namespace weft::kernel
