#pragma once

#include <vector>

#include "bmmc/plan/gf2.hpp"

namespace weft::bmmc {

// Matrices of permutations of 2^n records for out-of-core transforms: the record at index x goes to
// A x. Errors: Error(invalid_argument) unless 0 <= n <= 64. Further errors are stated at each
// function.

/// Bit k of the index becomes bit target[k]. Errors: unless `target` is a permutation of 0..n-1.
BitMatrix bit_permutation(const std::vector<int>& target);
/// Bit k becomes bit n-1-k: the first step of decimation in time.
BitMatrix bit_reversal(int n);
/// Bit k becomes bit (k - by) mod n. `by` may be negative or larger than n.
BitMatrix right_rotation(int n, int by);
/// Reorders the axes of an array. Axis a of the source, in C order (the last one is the fastest),
/// has 2^lg_extents[a] entries. Axis a of the target is the source's axis order[a].
/// Errors: unless lg_extents are at least 0 and `order` is a permutation of the axes.
BitMatrix axes_permutation(const std::vector<int>& lg_extents, const std::vector<int>& order);
/// The record at x goes to x xor floor(x / 2), its place in the binary reflected Gray code.
BitMatrix gray_code(int n);

}  // namespace weft::bmmc
