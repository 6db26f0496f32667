#pragma once

#include <cstdint>
#include <string>

namespace weft::probe {

/// Returns the number of physical cores of this node, from the system's files of processors under
/// `cpus`; 0 if the files do not name the threads of a core.
std::int64_t physical_cores(const std::string& cpus = "/sys/devices/system/cpu");

}  // namespace weft::probe
