#pragma once

#include "bmmc/plan/superlevel.hpp"
#include "bmmc/run/record_volumes.hpp"
#include "disk/volume.hpp"
#include "kernel/lines.hpp"

namespace weft::bmmc {

/// Number of buffers of one load into which each processor's memory is divided. During
/// execute_superlevel(), three have loads, and half of the fourth has received messages.
inline constexpr int butterfly_buffers = 4;

/// Transforms each load of a volume in place. Meanwhile the next load is read and the previous one
/// is written.
///
/// Cost    2N/BD parallel I/Os. Each stage across processors sends 2 messages in each load.
/// Memory  at most butterfly_buffers times the records of a load, over all processors, and the
///         memory of LocalButterflies.
/// Errors  those of the volume and of the engine, and out_of_memory; the same on all processors.
void execute_superlevel(const Superlevel& level, const DiskModel& disks, disk::Volume& volume,
                        int sign, long double scale, const kernel::LocalOptions& options,
                        const RecordRun& run);

}  // namespace weft::bmmc
