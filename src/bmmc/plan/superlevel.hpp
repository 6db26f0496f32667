#pragma once

#include <cstdint>
#include <vector>

#include "bmmc/plan/bmmc.hpp"

namespace weft::bmmc {

/// Returns the place of a record on the disks by its logical index, in bands of 2^lg_band records.
/// The processor's bits, which are below lg_band in the logical index, move down to below lg BD.
BitMatrix placement(int lg_band, const DiskModel& disks);

/// The most butterfly stages of one sweep over a load: their lines fit in cache.
inline constexpr int most_stages_of_a_sweep = 12;

/// Some butterfly stages of a superlevel, on consecutive bits of the logical index.
///
/// A local step: its bits of the index are bit `first_slot` and the next ones of the place in a
/// processor's memory. A step across processors: one stage, on a bit of the processor's number.
struct ButterflyStep {
  int first_stage = 0;  ///< within the superlevel: the lowest bit of the logical index
  int stages = 1;
  bool is_local = true;
  int first_slot = 0;     ///< for a local step
  int processor_bit = 0;  ///< for a step across processors
};

/// One superlevel: the work on each load of 2^lg_load records of all processors.
///
/// A load is a memoryload on the disks. A processor has the records of its own disks, in the order
/// of their index on the disks without the processor's bits.
struct Superlevel {
  int depth = 0;        ///< butterfly stages
  int stages_done = 0;  ///< by the superlevels before
  int lg_load = 0;
  std::vector<ButterflyStep> steps = {};
  /// Frequency bits for each bit of a processor's place in memory, of the processor's number and of
  /// the load's number; those of later stages are 0. Stages of this superlevel are listed as if all
  /// were done.
  std::vector<Bits> slot_frequency = {};
  std::vector<Bits> processor_frequency = {};
  std::vector<Bits> load_frequency = {};
};

/// `place`: the place of a record on the disks by its logical index; a bit permutation.
Superlevel superlevel(int depth, int stages_done, int lg_load, const BitMatrix& place,
                      const DiskModel& disks);

}  // namespace weft::bmmc
