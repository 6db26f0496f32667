#pragma once

#include <weft/machine.hpp>
#include <weft/precision.hpp>

#include "bmmc/plan/analysis.hpp"
#include "model/disk_assignment.hpp"

namespace weft::bmmc {

/// Predicted cost of an FFT by superlevels, in seconds. `seconds` is the total. Each other member
/// is the time of one part alone.
struct SuperlevelsCost {
  double disk_s = 0;
  double compute_s = 0;
  double message_s = 0;
  double seconds = 0;
};

/// Predicts the time of a transform that analyze() has counted. The first pass reads the input, the
/// last one writes the output, and between passes the array is in scratch space.
///
/// Model   A pass reads and writes all records. It uses long accesses if a memoryload is
///         consecutive (striped), otherwise single blocks (independent). A superlevel of k stages
///         costs lines of 2^k points and twiddles. A permutation moves its records through memory.
///         Messages have their average length, and are between two ranks of a node. Messages
///         do not overlap with other work. Each processor has its own threads.
/// Errors  those of check() for machine and storage.
SuperlevelsCost cost_of(const SuperlevelFft& fft, const FftAnalysis& analysis, Precision precision,
                        int threads, const Machine& machine, const model::DiskAssignment& storage);

}  // namespace weft::bmmc
