#pragma once

#include <cstdint>
#include <vector>

#include "bmmc/plan/bmmc.hpp"

namespace weft::bmmc {

/// Returns the bit matrix that maps a logical index to an index on the disks. Bands of 2^lg_band
/// records stay together. The top p bits of the index in a band are the processor's number. These
/// bits become the top bits below bit lg BD.
BitMatrix placement(int lg_band, const DiskModel& disks);

/// Largest number of butterfly stages in one sweep over a load. With this number, lines still fit
/// in cache.
inline constexpr int most_stages_of_a_sweep = 12;

/// Some butterfly stages of a superlevel, on consecutive bits of the logical index.
///
/// A local step works on consecutive bits of the index in a processor's memory. The lowest bit is
/// number `first_slot`. A step across processors is one stage, on a bit of the processor's number.
struct ButterflyStep {
  int first_stage = 0;  ///< number in the superlevel; also the step's lowest bit
  int stages = 1;
  bool is_local = true;
  int first_slot = 0;     ///< for a local step
  int processor_bit = 0;  ///< for a step across processors
};

/// One superlevel: the work on each load of 2^lg_load records of all processors.
///
/// A load consists of consecutive stripes that fill one buffer on each processor. A processor holds
/// the records of its own disks. These records are in the order of their indices on the disks,
/// without the bits of the processor.
struct Superlevel {
  int depth = 0;        ///< butterfly stages
  int stages_done = 0;  ///< stages of the earlier superlevels
  int lg_load = 0;
  std::vector<ButterflyStep> steps = {};
  /// The frequency bit that each bit of an index has after this superlevel; 0 for bits of later
  /// stages. The three lists are for the index in memory, the number of the processor, and the
  /// number of the load.
  std::vector<Bits> slot_frequency = {};
  std::vector<Bits> processor_frequency = {};
  std::vector<Bits> load_frequency = {};
};

/// Makes a superlevel. `place` is a bit permutation that maps the logical index of a record to its
/// place on the disks.
Superlevel superlevel(int depth, int stages_done, int lg_load, const BitMatrix& place,
                      const DiskModel& disks);

}  // namespace weft::bmmc
