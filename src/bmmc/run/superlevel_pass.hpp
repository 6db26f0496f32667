#pragma once

#include "bmmc/plan/superlevel.hpp"
#include "bmmc/run/record_volumes.hpp"
#include "disk/volume.hpp"
#include "kernel/lines.hpp"

namespace weft::bmmc {

/// Loads that execute_superlevel() holds in each processor's memory, with half a one that is under
/// way to another processor.
inline constexpr int butterfly_buffers = 4;

/// Transforms each load of a volume and writes it where it was. The next one is read and the last one
/// written meanwhile.
///
/// Cost    2N/BD I/Os, one ticket each; messages as count_butterflies of analysis.cpp says.
/// Memory  at most butterfly_buffers times the records of a load, over all processors, and what
///         LocalButterflies hold.
/// Errors  those of the volume and of the engine, and out_of_memory; the same on all processors.
void execute_superlevel(const Superlevel& level, const DiskModel& disks, disk::Volume& volume,
                        int sign, long double scale, const kernel::LocalOptions& options,
                        const RecordRun& run);

}  // namespace weft::bmmc
