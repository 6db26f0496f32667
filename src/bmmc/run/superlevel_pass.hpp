#pragma once

#include "bmmc/plan/superlevel.hpp"
#include "bmmc/run/record_volumes.hpp"
#include "disk/volume.hpp"
#include "kernel/lines.hpp"

namespace weft::bmmc {

/// Loads in each processor's memory during execute_superlevel(), including half a one in messages
/// to another processor.
inline constexpr int butterfly_buffers = 4;

/// Transforms each load of a volume in place. Meanwhile the next one is read and the last one
/// written.
///
/// Cost    2N/BD I/Os, one ticket each; messages as in count_butterflies of analysis.cpp.
/// Memory  at most butterfly_buffers times the records of a load, over all processors, and that of
///         LocalButterflies.
/// Errors  those of the volume and of the engine, and out_of_memory; the same on all processors.
void execute_superlevel(const Superlevel& level, const DiskModel& disks, disk::Volume& volume,
                        int sign, long double scale, const kernel::LocalOptions& options,
                        const RecordRun& run);

}  // namespace weft::bmmc
