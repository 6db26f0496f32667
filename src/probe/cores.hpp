#pragma once

#include <cstdint>
#include <string>

namespace weft::probe {

/// Returns the number of physical cores of this node. It reads the system's files about processors
/// under `cpu_directory`. If these files do not name the threads of a core, the number is 0.
std::int64_t physical_cores(const std::string& cpu_directory = "/sys/devices/system/cpu");

}  // namespace weft::probe
