#pragma once

#include <cstdint>
#include <vector>

namespace weft {

/// Returns the smallest number >= n without other prime factors than 2, 3 and 5.
std::int64_t smooth_length(std::int64_t n);

/// Returns all numbers of [lo, hi] without other prime factors than 2, 3, 5 and 7, in ascending
/// order. Such numbers are rare among large numbers, so they are constructed, not searched.
std::vector<std::int64_t> smooth_numbers(std::int64_t lo, std::int64_t hi);

/// Returns whether a prime above 13 divides n: FFT libraries have kernels for primes up to 13.
bool has_large_prime(std::int64_t n);

}  // namespace weft
