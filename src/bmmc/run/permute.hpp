#pragma once

#include <cstdint>
#include <vector>

#include "bmmc/plan/permutation_pass.hpp"
#include "bmmc/run/record_volumes.hpp"
#include "disk/volume.hpp"

namespace weft::bmmc {

/// Number of buffers, each of a group's size, in each processor's memory during execute_pass().
inline constexpr int permuting_buffers = 4;

/// Executes one pass: reads each record once from one volume and writes it once to another.
///
/// For each group it reads the blocks, permutes the records in memory and between processors, and
/// writes whole blocks. A single processor reads the next group and writes the previous one while
/// it permutes. Several processors read the next group while they unpack received records.
///
/// Volumes  two different volumes of 2^n records. A processor accesses only blocks of its own
///          disks. Block k is on disk k mod D.
/// Cost     parallel_ios(pass, disks) I/Os, one ticket each; messages and records as in
///          processor_traffic().
/// Memory   permuting_buffers times the records of a group, over all processors.
/// Errors   those of the volumes, and out_of_memory; the same on all processors.
void execute_pass(const PermutationPass& pass, const DiskModel& disks, disk::Volume& source,
                  disk::Volume& target, const RecordRun& run);

}  // namespace weft::bmmc
