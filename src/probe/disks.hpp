#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <weft/machine.hpp>

namespace weft::probe {

/// A disk, and the samples of its figures.
struct MeasuredDisk {
  Disk disk;
  std::vector<Sample> samples = {};
};

/// Measures the disk of a directory in about `seconds` seconds, with a temporary file. It writes
/// and reads blocks of 64 KiB to 4 MiB in scattered order, eight at a time, and reads single blocks
/// of 4 KiB. A measurement that has begun is completed. Local. Memory: 32 MiB.
///
/// The caches of the drive, or of the host of a virtual drive, are not bypassed.
/// Errors  io_failure if no file can be made, written or read, or too little space is free;
///         invalid_argument for an impossible path of a directory; out_of_memory.
MeasuredDisk measure_disk(const std::string& directory, double seconds);

/// Returns the largest size of the temporary file: half of the free space, because others use the
/// disk too, and at most 1 GiB.
/// Errors  io_failure if that is less than 32 MiB: eight blocks of the largest size, one for each
///         access in flight.
std::int64_t disk_file_bytes(const std::string& directory, std::int64_t free_bytes);

}  // namespace weft::probe
