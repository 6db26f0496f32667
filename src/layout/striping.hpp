#pragma once

#include <cstdint>

namespace weft {

/// Which block of an array of bytes lies where on D disks.
///
/// Blocks go round the disks: block k of an array is in row k / D of the disks' files, on disk
/// k mod D. Two options change that:
///
/// Bands  Of P processors with D/P disks each, processor q holds the q-th of P equal parts of each
///        band of consecutive bytes, round its own disks. A band of B D bytes is stripe-major (P is
///        then of no account), one of a memoryload memoryload-major, one of the whole array
///        processor-major, as in Cormen and Nicol's paper.
/// Skew   A matrix whose rows are a multiple of B D bytes has each column on one disk. So disks shift
///        by the sum of the digits of row / skew_rows in base D, by one from a matrix row to the
///        next where these have skew_rows D^i rows of blocks, for any i: passes with different
///        radices have their columns on all disks alike.
struct Striping {
  std::int64_t bytes = 0;        ///< of the array
  std::int64_t block_bytes = 0;  ///< B, a multiple of 4096 where there is more than one disk
  int disks = 1;                 ///< D
  int processors = 1;            ///< P, divides D
  std::int64_t band_bytes = 0;   ///< a multiple of B D; 0: B D
  std::int64_t skew_rows = 0;    ///< 0: no skew
  bool operator==(const Striping&) const = default;
};

struct BlockPlace {
  int disk = 0;
  std::int64_t row = 0;  ///< it starts at byte row * B of the disk's file
  bool operator==(const BlockPlace&) const = default;
};

/// Throws invalid_argument that names the rule which is broken.
void check(const Striping& striping);

std::int64_t block_count(const Striping& striping);
/// Blocks of each disk's file, in which the last band is whole.
std::int64_t row_count(const Striping& striping);
BlockPlace place_of(const Striping& striping, std::int64_t block);
/// The skew for an array of which no more is known: the odd part of its number of whole rows, and 1
/// where blocks end in the midst of it, or on one disk 0.
std::int64_t usual_skew_rows(std::int64_t bytes, std::int64_t block_bytes, int disks);
/// The smallest band that holds the whole array: processor-major.
std::int64_t whole_band_bytes(const Striping& striping);

}  // namespace weft
