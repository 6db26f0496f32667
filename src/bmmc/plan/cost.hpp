#pragma once

#include <weft/machine.hpp>
#include <weft/precision.hpp>

#include "bmmc/plan/analysis.hpp"
#include "model/disk_assignment.hpp"

namespace weft::bmmc {

/// What an FFT by superlevels should take. Seconds, each as if it went on alone but for `seconds`.
struct SuperlevelsCost {
  double disk_s = 0;
  double compute_s = 0;
  double message_s = 0;
  double seconds = 0;
};

/// Predicts the time of what analyze() has counted: from the input to the output, passes between them on scratch
/// space. Pure.
///
/// Model   A pass reads and writes all records: in long accesses where a memoryload is consecutive
///         (striped), else block by block (independent). A superlevel of k stages takes lines of 2^k
///         points and twiddles, a permutation moves its records through memory. Messages by their
///         average length between two ranks of a node, each processor with threads of its own.
/// Errors  those of check() for machine and storage.
SuperlevelsCost cost_of(const SuperlevelFft& fft, const FftAnalysis& analysis, Precision precision,
                        int threads, const Machine& machine, const model::DiskAssignment& storage);

}  // namespace weft::bmmc
