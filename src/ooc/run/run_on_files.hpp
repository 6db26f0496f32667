#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "disk/backend.hpp"
#include "ooc/run/pass_executor.hpp"

namespace weft::ooc {

/// An array in files: a striped set, or part of a plain file.
struct StoredArray {
  std::string path;  ///< of the file, or of the set's index
  bool is_set = false;
  // For a plain file.
  std::int64_t offset = 0;
  std::int64_t bytes = 0;
};

/// The files of a transform. The output exists already, with its space.
struct PassFiles {
  StoredArray input;  ///< unused in place
  StoredArray output;
  /// One directory for each disk of scratch space. Unused if the plan needs none.
  std::vector<std::string> scratch_directories = {};
  /// Alternative: an existing set, which is kept. Its blocks are compared with their checksums.
  std::optional<StoredArray> scratch = {};
  /// Alternative on ranks: the indexes of existing sets of this rank, one for each of its scratch
  /// volumes. For a volume without bytes, the name is empty.
  std::vector<std::string> own_scratch = {};
  /// Also compares blocks of a plain output with checksums. The checksums are stored next to it, in
  /// NAME.sums.
  bool checks_output = false;
  disk::BackendKind backend = disk::BackendKind::automatic;
};

/// Returns the remedy that the index of a set contains after an incomplete transform in place.
std::string remedy_in_place(const PassOptions& options);

struct PassOutcome {
  std::int64_t held_bytes = 0;  ///< result of run_passes
  // Sums over all disks.
  std::int64_t bytes_read = 0;
  std::int64_t bytes_written = 0;
  disk::BackendKind backend = disk::BackendKind::automatic;  ///< the backend in use
  bool found_not_finite = false;                             ///< the input that was read has NaN or
                                                             ///< infinity
};

/// Executes a plan on files, and returns when the output is on its disks. Blocks of an input set
/// that a run reads as a whole are compared with their checksums. In place this holds for blocks of
/// the output.
///
/// In place  the first write marks the set as incomplete in its index. The caller marks the set as
///           whole when all is done.
/// Scratch   files without names, which disappear after success, error or crash; or the given set.
/// Errors    as open_set, plain_set, scratch_set and run_passes.
PassOutcome run_on_files(const KPassPlan& plan, const PassFiles& files,
                         const PassOptions& options = {});

}  // namespace weft::ooc
