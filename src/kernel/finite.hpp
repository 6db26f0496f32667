#pragma once

#include <cstdint>

#include <weft/precision.hpp>

namespace weft::kernel {

/// Returns whether none of `reals` reals is NaN or infinite.
bool all_finite(Precision precision, std::int64_t reals, int threads, const void* memory);

}  // namespace weft::kernel
