#pragma once

#include <cstdint>

#include "bmmc/plan/gf2.hpp"

namespace weft::bmmc {

/// The Parallel Disk Model, as base-2 logarithms of numbers of records.
///
/// From its low bits up, an index consists of b bits for the offset in a block, d bits for the
/// disk, and the bits of the stripe. The top p of the d bits are the processor. The records with
/// the same bits above the low m bits are a memoryload.
struct DiskModel {
  int n = 0;  ///< records
  int m = 0;  ///< records that fit in memory, over all processors
  int b = 0;  ///< records of a block
  int d = 0;  ///< disks
  int p = 0;  ///< processors, with equally many disks
  friend bool operator==(const DiskModel&, const DiskModel&) = default;

  std::int64_t records() const { return std::int64_t{1} << n; }
  std::int64_t stripes() const { return std::int64_t{1} << (n - b - d); }
  /// Returns 2N/BD, the I/Os that read every record once and write it once.
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

/// Returns the permutation that executes `first`, then `second`.
Bmmc composed(const Bmmc& first, const Bmmc& second);
Bmmc inverse(const Bmmc& permutation);

// Classes of nonsingular n x n matrices, by Cormen, Sundquist and Wisniewski (PCS-TR94-223).

/// Memory rearrangement (MRC): each memoryload goes to one memoryload. It takes one pass of striped
/// I/O.
bool is_mrc(const BitMatrix& a, const DiskModel& disks);
/// Memoryload dispersal (MLD): each memoryload becomes whole target blocks, the same number for
/// each disk. It takes one pass of striped reads and independent writes.
bool is_mld(const BitMatrix& a, const DiskModel& disks);
/// The inverse of an MLD. It takes one pass of independent reads and striped writes.
bool is_mld_inverse(const BitMatrix& a, const DiskModel& disks);
/// Bit permutation (and complement).
bool is_bpc(const BitMatrix& a);

/// Returns the rank of phi, the lower left lg(N/M) x lg M block. The inverse matrix has the same
/// rank (nullity theorem).
int rank_phi(const BitMatrix& a, const DiskModel& disks);
/// Returns the rank of gamma, the lower left lg(N/B) x lg B block. It is the number of bits of a
/// target block's index that change within a source block.
int rank_gamma(const BitMatrix& a, const DiskModel& disks);

}  // namespace weft::bmmc
