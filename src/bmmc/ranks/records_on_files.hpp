#pragma once

#include <cstdint>
#include <vector>

#include "bmmc/run/run_superlevels.hpp"
#include "comm/communicator.hpp"
#include "ooc/run/run_on_files.hpp"

namespace weft::bmmc {

/// Totals over all ranks.
struct RecordsOutcome {
  SuperlevelTimes times;  ///< average over the ranks
  // Messages of the busiest rank, and average bytes per rank.
  MessageCount permuting;
  MessageCount butterflies;
  std::int64_t parallel_ios = 0;
  // Sums over all disks.
  std::int64_t bytes_read = 0;
  std::int64_t bytes_written = 0;
  disk::BackendKind backend = disk::BackendKind::automatic;
  bool found_not_finite = false;  ///< the transformed numbers have NaN or infinity
};

/// Checks the input and the number of scratch directories for several ranks. The input must be a
/// striped set on `disks` disks, with blocks on the disks in turn. There must be a scratch
/// directory for each disk.
///
/// Errors  Error(invalid_argument) with the remedy; those of read_index.
void check_record_files(const ooc::StoredArray& input, std::int64_t scratch_directories, int disks,
                        std::int64_t block_bytes);

/// Executes run_superlevels() on files. On one rank the arrays may be any sets or files, and there
/// may be any number of scratch directories. On several ranks the blocks of all arrays must be on
/// the D disks of the plan in turn, with one scratch directory for each disk. Each rank opens the
/// files of its own disks.
///
/// Collective. Errors  Error(invalid_argument), the same on all ranks, for a set with another order
/// or a number of ranks that differs from the plan's processors; those of open_set and
/// run_superlevels.
RecordsOutcome run_superlevels_on_files(const FftAnalysis& fft, const ooc::PassFiles& files,
                                        const SuperlevelsOptions& options,
                                        const comm::Communicator& comm);

/// Executes run_permutation() on files, with the rules of run_superlevels_on_files().
RecordsOutcome run_permutation_on_files(const std::vector<PermutationPass>& passes,
                                        const DiskModel& disks, std::int64_t record_bytes,
                                        const ooc::PassFiles& files, const LoadProgress& on_load,
                                        const comm::Communicator& comm);

}  // namespace weft::bmmc
