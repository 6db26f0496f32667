#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "layout/striping.hpp"

namespace weft::disk {

/// Contents of the index file of a striped set: JSON, a few hundred bytes, replaced atomically.
struct SetIndex {
  std::vector<std::int64_t> shape = {};  ///< of the array, C order
  std::string dtype = {};                ///< of its elements, in numpy's notation
  Striping striping = {};
  bool checksums = true;  ///< whether blocks have checksums, in a file next to the index
  /// Remedy for an incomplete set, in which a change in place has not ended. Such a set has neither
  /// its old nor its new contents. Empty: the set is whole.
  std::string incomplete_remedy = {};
  std::vector<std::string> files =
      {};  ///< files of the disks; relative paths start at the folder of the index
  bool operator==(const SetIndex&) const = default;
};

/// Throws invalid_argument if the index, once written, could not be read again.
void check(const SetIndex& index);

/// Errors  io_failure for a missing or unreadable file; invalid_argument for a file that is
///         damaged, inconsistent or of another version. The message has the path of the value and
///         the remedy.
SetIndex read_index(const std::string& path);

/// Replaces the file atomically and flushes it to its disk. Errors  io_failure.
void write_index(const std::string& path, const SetIndex& index);

/// Marks the set in the index as incomplete, with a remedy; an empty remedy marks it as whole.
/// Errors  as read_index and write_index.
void mark_incomplete(const std::string& path, const std::string& remedy);

/// Throws invalid_argument, with the remedy, for an incomplete set.
void require_whole(const std::string& path, const SetIndex& index);

/// Returns the path of a disk's file for this process: relative paths start at the folder of the
/// index.
std::string file_of(const std::string& index_path, const std::string& file);

}  // namespace weft::disk
