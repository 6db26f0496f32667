#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include <weft/machine.hpp>

namespace weft::model {

/// The array that a pass reads or writes. `nothing`: the pass generates its input itself.
enum class VolumeRole { input, scratch, output, nothing };
const char* to_string(VolumeRole);

/// The disks of a transform's volumes, for the prediction of its cost.
struct DiskAssignment {
  std::vector<Disk> disks;  ///< each disk once, even if several volumes share the disk
  // For each file of a volume the index of its disk in `disks`. A volume has at least one file.
  std::vector<std::size_t> input = {0};
  std::vector<std::size_t> output = {0};
  std::vector<std::size_t> scratch = {0};
  /// If true, reading and writing overlap with the transform of panels. If false, the caller's
  /// thread makes one access after the other.
  bool asynchronous = true;

  const std::vector<std::size_t>& of(VolumeRole where) const;
};

/// Returns the figures of a current NVMe drive, for disks without a measurement.
Disk assumed_disk();

/// Returns the disks at these places in machine.disks. A place of -1 is a disk without a
/// measurement. Throws invalid_argument for a place after the last disk.
std::vector<Disk> disks_of(const Machine& machine, const std::vector<int>& places);

/// Throws invalid_argument if a volume has no disk, or a disk that does not exist.
void check(const DiskAssignment& storage);

/// Work on a volume. A run is a contiguous stretch of the volume that is read or written.
struct DiskWork {
  std::int64_t runs = 0;
  double bytes = 0;
};
enum class DiskAccess { read, write };
/// Adds the time of disk k to seconds[k]. Runs are cut into accesses as in StripedSet, and are
/// spread evenly over the volume's disks. If storage.asynchronous is false, each access takes at
/// least the latency of its disk.
void add_seconds(const DiskAssignment& storage, VolumeRole where, DiskAccess access,
                 const DiskWork& work, std::int64_t block_bytes, std::vector<double>& seconds);

}  // namespace weft::model
