#include "model/disk_assignment.hpp"

#include <algorithm>
#include <cmath>

#include <weft/error.hpp>

namespace weft::model {
namespace {

/// Adjacent blocks are joined into accesses of at most this length. An array on a single disk
/// counts as if its blocks had this length.
constexpr std::int64_t joined_bytes = 1 << 20;

/// Returns the number of accesses for one run, on all disks together.
double accesses_of(double run_bytes, std::size_t disks, std::int64_t block_bytes) {
  const std::int64_t block = disks == 1 ? joined_bytes : block_bytes;
  const auto count = static_cast<double>(disks);
  const double blocks = std::ceil(run_bytes / static_cast<double>(block));
  if (blocks <= count) return std::max(1.0, blocks);
  const auto most = static_cast<double>(std::max(joined_bytes, block));
  return count * std::ceil(run_bytes / count / most);
}

}  // namespace

const std::vector<std::size_t>& DiskAssignment::of(VolumeRole where) const {
  return where == VolumeRole::input ? input : where == VolumeRole::output ? output : scratch;
}

Disk assumed_disk() {
  return {.directory = "assumed",
          .latency_s = 100e-6,
          .in_flight = 8,
          .read_access_s = 12e-6,
          .read_bytes_per_s = 2e9,
          .write_access_s = 12e-6,
          .write_bytes_per_s = 1e9};
}

std::vector<Disk> disks_of(const Machine& machine, const std::vector<int>& places) {
  std::vector<Disk> disks;
  for (const int place : places) {
    if (place >= std::ssize(machine.disks))
      throw Error(ErrorCode::invalid_argument,
                  "the machine has " + std::to_string(machine.disks.size()) +
                      " disks; given number " + std::to_string(place) + "; give a smaller one");
    disks.push_back(place < 0 ? assumed_disk() : machine.disks[static_cast<std::size_t>(place)]);
  }
  return disks;
}

void check(const DiskAssignment& storage) {
  for (const VolumeRole where : {VolumeRole::input, VolumeRole::output, VolumeRole::scratch}) {
    const std::vector<std::size_t>& disks = storage.of(where);
    if (disks.empty() || *std::max_element(disks.begin(), disks.end()) >= storage.disks.size())
      throw Error(ErrorCode::invalid_argument,
                  "each volume must be on one or more of the disks; given " +
                      std::to_string(disks.size()) + " files on " +
                      std::to_string(storage.disks.size()) + " disks; name a disk for each file");
  }
}

void add_seconds(const DiskAssignment& storage, VolumeRole where, DiskAccess access,
                 const DiskWork& work, std::int64_t block_bytes, std::vector<double>& seconds) {
  if (work.runs == 0) return;
  const std::vector<std::size_t>& files = storage.of(where);
  const auto runs = static_cast<double>(work.runs);
  const auto count = static_cast<double>(files.size());
  const double accesses = runs * accesses_of(work.bytes / runs, files.size(), block_bytes) / count;
  for (const std::size_t file : files) {
    const Disk& disk = storage.disks[file];
    const bool reads = access == DiskAccess::read;
    double each = reads ? disk.read_access_s : disk.write_access_s;
    if (!storage.asynchronous) each = std::max(each, disk.latency_s);
    const double rate = reads ? disk.read_bytes_per_s : disk.write_bytes_per_s;
    seconds[file] += accesses * each + work.bytes / count / rate;
  }
}

}  // namespace weft::model
