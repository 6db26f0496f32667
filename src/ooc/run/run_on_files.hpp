#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "disk/backend.hpp"
#include "ooc/run/pass_executor.hpp"

namespace weft::ooc {

/// An array by the names of its files: a striped set, or part of a plain file.
struct StoredArray {
  std::string path;  ///< of the file, or of the set's index
  bool is_set = false;
  // Of a plain file.
  std::int64_t offset = 0;
  std::int64_t bytes = 0;
};

/// What a transform reads and writes. The output is there already, with its space.
struct PassesFiles {
  StoredArray input;  ///< unused in place
  StoredArray output;
  /// One for each disk that scratch space is to lie on; unused where the plan takes none.
  std::vector<std::string> scratch_directories = {};
  /// Instead: a set that is there and stays, whose blocks are compared with their checksums.
  std::optional<StoredArray> scratch = {};
  /// Instead, on ranks: the indexes of such sets of this rank, one for each of its scratch volumes;
  /// an empty name where that takes no bytes.
  std::vector<std::string> own_scratch = {};
  /// Blocks of a plain output, too; their checksums lie beside it, in NAME.sums.
  bool checks_output = false;
  disk::BackendKind backend = disk::BackendKind::automatic;
};

/// What an index says of a set that such a transform in place has left half done.
std::string remedy_in_place(const PassesOptions& options);

struct PassesOutcome {
  std::int64_t held_bytes = 0;  ///< what run_passes returned
  // Of all disks together.
  std::int64_t bytes_read = 0;
  std::int64_t bytes_written = 0;
  disk::BackendKind backend = disk::BackendKind::automatic;  ///< that did it
  bool found_not_finite = false;                             ///< in what was read of the input
};

/// Executes a plan on files, and returns when the output is on its disks. Blocks of an input set
/// that a run reads as a whole are compared with their checksums, of a set in place those of the
/// output.
///
/// In place  a set's index says that it is half done from the first write on, and is left so: the
///           caller says that the set is whole when all is done.
/// Scratch  files without names, gone at the end however it comes; or the set that is given.
/// Errors   as open_set, plain_set, scratch_set and run_passes.
PassesOutcome run_on_files(const KPassPlan& plan, const PassesFiles& files,
                           const PassesOptions& options = {});

}  // namespace weft::ooc
