#pragma once

#include <cstdint>
#include <vector>

namespace weft::ooc {

/// Of all ways to write n as a product of `count` factors, one whose largest factor is smallest.
/// The largest comes first; factors may be 1. The smaller the largest radix, the wider the panels.
///
/// Cost  O(d^2 count) for d divisors of n: d is 41 for 2^40 and below 7000 for any n to 2^40.
std::vector<std::int64_t> balanced_factors(std::int64_t n, int count);

/// The divisors of n, the smallest first.
std::vector<std::int64_t> divisors(std::int64_t n);

/// n > 1 as a product of primes, the smallest first.
std::vector<std::int64_t> prime_factors(std::int64_t n);

}  // namespace weft::ooc
