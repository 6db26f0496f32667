#pragma once

#include <cstdint>
#include <vector>

namespace weft::ooc {

/// Returns `count` factors with product n whose largest factor is as small as possible. The largest
/// factor comes first; factors may be 1. The smaller the largest radix, the wider the panels.
///
/// Cost  O(d^2 count), where d is the number of divisors of n. d is 41 for 2^40, and below 7000 for
///       any n up to 2^40.
std::vector<std::int64_t> balanced_factors(std::int64_t n, int count);

/// Returns the divisors of n, the smallest first.
std::vector<std::int64_t> divisors(std::int64_t n);

/// Returns the primes with product n > 1, the smallest first.
std::vector<std::int64_t> prime_factors(std::int64_t n);

}  // namespace weft::ooc
