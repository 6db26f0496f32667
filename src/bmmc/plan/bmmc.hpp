#pragma once

#include <cstdint>

#include "bmmc/plan/gf2.hpp"

namespace weft::bmmc {

/// The Parallel Disk Model, as base-2 logarithms of numbers of records.
///
/// From its low bits up, an index has b bits of offset in a block, d of the disk, and those of the
/// stripe. The top p of the d bits are the processor. A memoryload is the low m bits.
struct DiskModel {
  int n = 0;  ///< records
  int m = 0;  ///< records that fit in memory, over all processors
  int b = 0;  ///< records of a block
  int d = 0;  ///< disks
  int p = 0;  ///< processors, with equally many disks
  friend bool operator==(const DiskModel&, const DiskModel&) = default;

  std::int64_t records() const { return std::int64_t{1} << n; }
  std::int64_t stripes() const { return std::int64_t{1} << (n - b - d); }
  /// 2N/BD: every record read once and written once.
  std::int64_t ios_of_a_pass() const { return 2 * stripes(); }
};

/// Errors: Error(invalid_argument) unless 0 <= p <= d, 0 <= b, M >= 2BD and N >= M, N <= 2^61.
void check(const DiskModel& disks);

/// The logarithms of sizes given as numbers.
/// Errors: Error(invalid_argument) unless all are powers of two that check() accepts.
DiskModel disk_model(std::int64_t records, std::int64_t memory_records, std::int64_t block_records,
                     std::int64_t disks, std::int64_t processors);

/// A bit-matrix-multiply/complement permutation: the record at index x goes to A x xor c.
struct Bmmc {
  BitMatrix matrix;
  Bits complement = 0;
  friend bool operator==(const Bmmc&, const Bmmc&) = default;

  Bits target(Bits x) const { return matrix.apply(x) ^ complement; }
};

/// Errors: Error(invalid_argument) unless the matrix is n x n and nonsingular and c < N.
void check(const Bmmc& permutation, const DiskModel& disks);

/// Returns the permutation `first`, followed by `second`.
Bmmc composed(const Bmmc& first, const Bmmc& second);
Bmmc inverse(const Bmmc& permutation);

// Classes of nonsingular n x n matrices, by Cormen, Sundquist and Wisniewski (PCS-TR94-223).

/// Memory rearrangement: each memoryload goes to one memoryload. One pass of striped I/O.
bool is_mrc(const BitMatrix& a, const DiskModel& disks);
/// Memoryload dispersal: each memoryload makes whole target blocks, equally many for each disk. One
/// pass of striped reads and independent writes.
bool is_mld(const BitMatrix& a, const DiskModel& disks);
/// One pass of independent reads and striped writes.
bool is_mld_inverse(const BitMatrix& a, const DiskModel& disks);
/// Bit permutation (and complement).
bool is_bpc(const BitMatrix& a);

/// Returns the rank of phi, the lower left lg(N/M) x lg M block; the inverse has the same (nullity
/// theorem).
int rank_phi(const BitMatrix& a, const DiskModel& disks);
/// Returns the rank of gamma, the lower left lg(N/B) x lg B block. It is the number of a target
/// block's index bits that change within a source block.
int rank_gamma(const BitMatrix& a, const DiskModel& disks);

}  // namespace weft::bmmc
