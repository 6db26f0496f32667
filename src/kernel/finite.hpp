#pragma once

#include <cstdint>

#include <weft/precision.hpp>

namespace weft::kernel {

/// Whether none of so many reals is NaN or infinite.
bool all_finite(Precision precision, std::int64_t reals, int threads, const void* memory);

}  // namespace weft::kernel
