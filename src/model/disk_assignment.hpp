#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include <weft/machine.hpp>

namespace weft::model {

/// nothing: a pass that makes its source itself.
enum class VolumeRole { input, scratch, output, nothing };

/// The disks that the volumes of a transform lie on, for its price.
struct DiskAssignment {
  std::vector<Disk> disks;  ///< each once, however many volumes lie on it
  // For each file of a volume the number of its disk; at least one.
  std::vector<std::size_t> input = {0};
  std::vector<std::size_t> output = {0};
  std::vector<std::size_t> scratch = {0};
  /// Reading and writing go on while panels are transformed; else the caller's thread does one
  /// access after the other.
  bool asynchronous = true;

  const std::vector<std::size_t>& of(VolumeRole where) const;
};

/// A disk that nobody measured: an NVMe drive as computers of today have them.
Disk assumed_disk();

/// For each disk its place in machine.disks, or -1 for one that was not measured there.
std::vector<Disk> disks_of(const Machine& machine, const std::vector<int>& places);

/// Throws invalid_argument where a volume has no disk, or one that there is not.
void check(const DiskAssignment& storage);

/// What disks do for runs of a volume: the time of each, if it did nothing else.
struct DiskWork {
  std::int64_t runs = 0;
  double bytes = 0;
};
enum class DiskAccess { read, write };
/// Adds to seconds[k] what disk k takes. Runs are cut into accesses as StripedSet does it, and lie on
/// the volume's disks alike. Of a caller that waits for each access, what each takes alone.
void add_seconds(const DiskAssignment& storage, VolumeRole where, DiskAccess access,
                 const DiskWork& work, std::int64_t block_bytes, std::vector<double>& seconds);

}  // namespace weft::model
