#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include <weft/machine.hpp>

namespace weft::model {

/// nothing: the pass generates its source itself.
enum class VolumeRole { input, scratch, output, nothing };
const char* to_string(VolumeRole);

/// The disks of a transform's volumes, for the prediction of its cost.
struct DiskAssignment {
  std::vector<Disk> disks;  ///< each once, also if several volumes share it
  // the number of the disk of each file of a volume; at least one
  std::vector<std::size_t> input = {0};
  std::vector<std::size_t> output = {0};
  std::vector<std::size_t> scratch = {0};
  /// Reading and writing overlap with the transform of panels; otherwise the caller's thread makes
  /// one access after the other.
  bool asynchronous = true;

  const std::vector<std::size_t>& of(VolumeRole where) const;
};

/// Returns the figures of a disk without a measurement: those of a current NVMe drive.
Disk assumed_disk();

/// Returns the disks at these places in machine.disks. A place of -1 is a disk without a
/// measurement.
std::vector<Disk> disks_of(const Machine& machine, const std::vector<int>& places);

/// Throws invalid_argument if a volume has no disk, or one that does not exist.
void check(const DiskAssignment& storage);

/// The work of disks for runs of a volume: the time of each disk alone.
struct DiskWork {
  std::int64_t runs = 0;
  double bytes = 0;
};
enum class DiskAccess { read, write };
/// Adds the time of disk k to seconds[k]. Runs are cut into accesses as StripedSet does it, and are
/// spread evenly over the volume's disks. If the caller waits for each access, each access has the
/// time of a single one.
void add_seconds(const DiskAssignment& storage, VolumeRole where, DiskAccess access,
                 const DiskWork& work, std::int64_t block_bytes, std::vector<double>& seconds);

}  // namespace weft::model
