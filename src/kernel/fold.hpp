#pragma once

#include <cstdint>

#include "kernel/place.hpp"

namespace weft::kernel {

/// A place whose columns along `axis` lie in the order 0, n-1, 1, n-2, ..., as one whose columns are
/// numbered plainly: each piece becomes two, which take every other column, one of them from the last
/// on. `extent`: n, of the whole axis.
Place unfolded(const Place& folded, int axis, std::int64_t extent);

}  // namespace weft::kernel
