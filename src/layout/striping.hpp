#pragma once

#include <cstdint>

namespace weft {

/// The positions of an array's blocks on D disks.
///
/// Blocks alternate over the disks: block k of an array is in row k / D of the disks' files, on
/// disk k mod D. Two options change these positions:
///
/// Bands  P processors have D/P disks each. Each band of consecutive bytes has P equal parts.
///        Processor q has the q-th part; its blocks alternate over its own disks. Names as in
///        Cormen and Nicol's paper: a band of B D bytes is stripe-major (P then does not matter). A
///        band of one memoryload is memoryload-major, a band of the whole array processor-major.
/// Skew   Here d = D/P. Without skew, a matrix with rows of a multiple of B d bytes has each column
///        on one disk of a processor. To avoid this, the disks of a processor shift by the sum of
///        the digits of row / skew_rows in base d. If a matrix row has skew_rows d^i rows of
///        blocks, for any i, the shift grows by one from a matrix row to the next, except when a
///        digit carries. So passes with different radices spread their columns over all disks.
struct Striping {
  std::int64_t bytes = 0;        ///< of the array
  std::int64_t block_bytes = 0;  ///< B, a multiple of 4096
  int disks = 1;                 ///< D
  int processors = 1;            ///< P, divides D
  std::int64_t band_bytes = 0;   ///< a multiple of B D; 0: B D
  std::int64_t skew_rows = 0;    ///< 0: no skew
  bool operator==(const Striping&) const = default;
};

struct BlockPlace {
  int disk = 0;
  std::int64_t row = 0;  ///< the block starts at byte row * B of the disk's file
  bool operator==(const BlockPlace&) const = default;
};

/// Throws invalid_argument with the broken rule.
void check(const Striping& striping);

std::int64_t block_count(const Striping& striping);
/// Returns the number of blocks in each disk's file. The last band in the file has room for a whole
/// band.
std::int64_t row_count(const Striping& striping);
BlockPlace place_of(const Striping& striping, std::int64_t block);
/// Returns skew_rows for an array of unknown shape: the largest odd divisor of its number of rows
/// of blocks. Returns 1 if the array is empty or does not end with a whole row, and 0 on one disk.
std::int64_t default_skew_rows(std::int64_t bytes, std::int64_t block_bytes, int disks);
/// Returns the smallest band that holds the whole array: processor-major.
std::int64_t whole_band_bytes(const Striping& striping);

}  // namespace weft
