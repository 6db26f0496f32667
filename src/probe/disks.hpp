#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <weft/machine.hpp>

namespace weft::probe {

/// A disk, and what its figures were fitted to.
struct MeasuredDisk {
  Disk disk;
  std::vector<Sample> samples = {};
};

/// Measures the disk of a directory in about so many seconds, by a file that is gone afterwards:
/// blocks of 64 KiB to 4 MiB written and read in scattered order, eight at a time, and single reads
/// of 4 KiB. A measurement that has begun is ended. Local. Memory: 32 MiB.
///
/// What a drive, or the host of a virtual one, keeps in memory of its own is not passed by.
/// Errors  io_failure where no file can be made, written or read, or too little is free;
///         invalid_argument for a path that no directory can have; out_of_memory.
MeasuredDisk measure_disk(const std::string& directory, double seconds);

/// How large the file is at most: half of what is free, since others use the disk too, and no more
/// than 1 GiB.
/// Errors  io_failure where that is less than 32 MiB, a block of the largest for each in flight.
std::int64_t disk_file_bytes(const std::string& directory, std::int64_t free_bytes);

}  // namespace weft::probe
