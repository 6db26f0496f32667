#pragma once

#include <cstdint>
#include <limits>
#include <string>
#include <type_traits>
#include <utility>

#include <weft/error.hpp>

namespace weft {

/// Returns a * b; throws Error(invalid_argument) that begins with `context` if it exceeds 64 bits.
inline std::int64_t checked_mul(std::int64_t a, std::int64_t b, const std::string& context) {
  std::int64_t product = 0;
  if (__builtin_mul_overflow(a, b, &product)) {
    throw Error(ErrorCode::invalid_argument, context + ": " + std::to_string(a) + " * " +
                                                 std::to_string(b) +
                                                 " does not fit in 64 bits; use a smaller size");
  }
  return product;
}

/// Returns a + b; throws Error(invalid_argument) that begins with `context` if it exceeds 64 bits.
inline std::int64_t checked_add(std::int64_t a, std::int64_t b, const std::string& context) {
  std::int64_t sum = 0;
  if (__builtin_add_overflow(a, b, &sum)) {
    throw Error(ErrorCode::invalid_argument, context + ": " + std::to_string(a) + " + " +
                                                 std::to_string(b) +
                                                 " does not fit in 64 bits; use a smaller size");
  }
  return sum;
}

/// Returns `value` as a To; throws Error(invalid_argument) that begins with `context` if To cannot
/// hold it.
template <class To, class From>
To checked_cast(From value, const std::string& context = "a count") {
  static_assert(std::is_integral_v<To> && std::is_integral_v<From>);
  if (!std::in_range<To>(value)) {
    throw Error(ErrorCode::invalid_argument,
                context + ": " + std::to_string(value) + " is outside [" +
                    std::to_string(std::numeric_limits<To>::min()) + ", " +
                    std::to_string(std::numeric_limits<To>::max()) + "]; use a smaller size");
  }
  return static_cast<To>(value);
}

}  // namespace weft
