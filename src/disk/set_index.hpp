#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "disk/striping.hpp"

namespace weft::disk {

/// What an index file says of a striped set: JSON, a few hundred bytes, written as a whole or not
/// at all.
struct SetIndex {
  std::vector<std::int64_t> shape = {};  ///< of the array, C order
  std::string dtype = {};                ///< of its elements, in numpy's words
  Striping striping = {};
  bool checksums = true;  ///< whether blocks have checksums, in a file beside the index
  std::vector<std::string> files =
      {};  ///< of the disks; a relative path is from the index's folder
  bool operator==(const SetIndex&) const = default;
};

/// Throws invalid_argument for what could not be read again.
void check(const SetIndex& index);

/// Errors  io_failure for a file that is missing or unreadable; invalid_argument, with the path of
///         the value and the remedy, for one that is damaged, inconsistent or of another version.
SetIndex read_index(const std::string& path);

/// Replaces the file as a whole. Errors  io_failure.
void write_index(const std::string& path, const SetIndex& index);

/// The disk's file as the process finds it: relative paths are from the folder of the index.
std::string file_of(const std::string& index_path, const std::string& file);

}  // namespace weft::disk
