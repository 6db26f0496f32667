#pragma once

#include <cstdint>
#include <string>

namespace weft::probe {

/// Returns the number of physical cores of this node. It reads the system's files about processors
/// under `cpus`, and returns 0 if they do not name the threads of a core.
std::int64_t physical_cores(const std::string& cpus = "/sys/devices/system/cpu");

}  // namespace weft::probe
