#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "layout/striping.hpp"

namespace weft::disk {

/// What an index file says of a striped set: JSON, a few hundred bytes, written as a whole or not
/// at all.
struct SetIndex {
  std::vector<std::int64_t> shape = {};  ///< of the array, C order
  std::string dtype = {};                ///< of its elements, in numpy's words
  Striping striping = {};
  bool checksums = true;  ///< whether blocks have checksums, in a file beside the index
  /// Of a set that is being changed where it lies, and is neither what it was nor what it is going to
  /// be: what to do, in words for whoever finds it so. Empty: it is whole.
  std::string half_done = {};
  std::vector<std::string> files =
      {};  ///< of the disks; a relative path is from the index's folder
  bool operator==(const SetIndex&) const = default;
};

/// Throws invalid_argument for what could not be read again.
void check(const SetIndex& index);

/// Errors  io_failure for a file that is missing or unreadable; invalid_argument, with the path of
///         the value and the remedy, for one that is damaged, inconsistent or of another version.
SetIndex read_index(const std::string& path);

/// Replaces the file as a whole; it is on its disk then. Errors  io_failure.
void write_index(const std::string& path, const SetIndex& index);

/// Says in the index that the set is half done, with a remedy; without one, that it is whole again.
/// Errors  as read_index and write_index.
void mark_half_done(const std::string& path, const std::string& remedy);

/// Throws invalid_argument, with the remedy, for a set that is half done.
void require_whole(const std::string& path, const SetIndex& index);

/// The disk's file as the process finds it: relative paths are from the folder of the index.
std::string file_of(const std::string& index_path, const std::string& file);

}  // namespace weft::disk
