#pragma once

#include <weft/machine.hpp>
#include <weft/precision.hpp>

#include "bmmc/plan/analysis.hpp"
#include "model/disk_assignment.hpp"

namespace weft::bmmc {

/// Predicted cost of an FFT by superlevels. In seconds. Each part except `seconds` is the time of
/// this part alone.
struct SuperlevelsCost {
  double disk_s = 0;
  double compute_s = 0;
  double message_s = 0;
  double seconds = 0;
};

/// Predicts the time of the transform that analyze() has counted, with scratch space between its
/// passes. Pure.
///
/// Model   A pass reads and writes all records: in long accesses where a memoryload is consecutive
///         (striped), otherwise block by block (independent). The cost of a superlevel of k stages
///         is lines of 2^k points and twiddles; a permutation moves its records through memory.
///         Messages by their average length between two ranks of a node, each processor with its
///         own threads.
/// Errors  those of check() for machine and storage.
SuperlevelsCost cost_of(const SuperlevelFft& fft, const FftAnalysis& analysis, Precision precision,
                        int threads, const Machine& machine, const model::DiskAssignment& storage);

}  // namespace weft::bmmc
