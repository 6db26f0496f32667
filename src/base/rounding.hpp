#pragma once

#include <cstdint>

namespace weft {

/// Returns the quotient of two numbers of 0 or more, rounded up.
constexpr std::int64_t divided_up(std::int64_t value, std::int64_t by) {
  return value / by + (value % by == 0 ? 0 : 1);  // a sum could overflow
}

/// Returns the smallest multiple of `step` that is at least `value`.
constexpr std::int64_t rounded_up(std::int64_t value, std::int64_t step) {
  return divided_up(value, step) * step;
}

}  // namespace weft
