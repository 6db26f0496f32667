#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "bmmc/plan/analysis.hpp"
#include "bmmc/run/record_volumes.hpp"
#include "disk/volume.hpp"
#include "kernel/lines.hpp"

namespace weft::bmmc {

/// The volumes of one processor. They are different volumes, each of 2^n records.
struct RecordVolumes {
  disk::Volume* input = nullptr;
  disk::Volume* output = nullptr;
  /// Needed for two or more permuting passes.
  disk::Volume* scratch = nullptr;
};

/// Receives the progress: the number of finished loads of memory, and of all loads.
using LoadProgress = std::function<void(std::int64_t done, std::int64_t loads)>;

struct SuperlevelsOptions {
  kernel::LocalOptions local = {};  ///< without an engine, the default one
  int sign = -1;                    ///< of the exponent
  long double scale = 1;            ///< multiplied into the result
  LoadProgress on_load = {};
};

/// Executes the passes of a permutation; the last one writes the output. The input is not changed.
///
/// Errors  Error(invalid_argument) for volumes that are too small, missing or given twice; as
///         execute_pass.
SuperlevelCounts run_permutation(const std::vector<PermutationPass>& passes, const DiskModel& disks,
                                 std::int64_t record_bytes, const RecordVolumes& volumes,
                                 ProcessorExchange* peers = nullptr,
                                 const LoadProgress& on_load = {});

/// Executes the FFT by superlevels that analyze() has counted with permuting_buffers and
/// butterfly_buffers. The numbers of blocks, messages and bytes are the counted ones.
///
/// Errors  as run_permutation and execute_superlevel.
SuperlevelCounts run_superlevels(const FftAnalysis& fft, const RecordVolumes& volumes,
                                 const SuperlevelsOptions& options,
                                 ProcessorExchange* peers = nullptr);

/// Returns the number of permuting passes of all permutations.
std::int64_t permuting_passes(const FftAnalysis& fft);

}  // namespace weft::bmmc
